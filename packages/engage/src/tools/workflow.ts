/** The tools before anything is collected: what there is to do, which product, and the person's yes. */
import { hostname } from 'node:os';
import * as z from 'zod/v4';
import { APP_URI, STEPS, stepUri } from '../surface.js';
import type { Consent } from '../workflow/consent.js';
import type { Sessions } from '../workflow/sessions.js';
import { iso } from './text.js';
import { type EngageTool, inputOf } from './tool.js';

const Nothing = inputOf({});

export const startTool: EngageTool<typeof Nothing> = {
  name: 'start_engage_red_hat_support',
  title: 'Start Engage Red Hat Support',
  description:
    'Begin the Red Hat Support workflow: collect a Linux diagnostic bundle (sosreport) with consent, and attach it to a Jira issue. Returns the steps. Collects nothing.',
  input: Nothing,
  readOnly: true,
  run: async () => ({
    text: [
      'Engage Red Hat Support has three steps:',
      ...STEPS.map(({ id, title, tool }, index) => `${index + 1}. ${title} (${tool}; page ${stepUri(id)})`),
      '',
      'Nothing is collected before the person says yes. First call select_engage_product with product "linux".',
      `How to lead a person through it is in skill://engage-red-hat-support/SKILL.md; a host that shows pages finds the whole at ${APP_URI}.`,
    ].join('\n'),
    structured: {
      steps: STEPS.map(({ id, title, tool }) => ({ id, title, tool, ui_resource_uri: stepUri(id) })),
      ui_resource_uri: APP_URI,
      skill_uri: 'skill://engage-red-hat-support/SKILL.md',
      next_tool: 'select_engage_product',
    },
  }),
};

const Product = inputOf({ product: z.literal('linux').describe('The product that needs support. There is only "linux".') });

export function selectProductTool(sessions: Sessions): EngageTool<typeof Product> {
  return {
    name: 'select_engage_product',
    title: 'Select the product',
    description: 'Step 1: choose the product to get support for, and get the workflow_session_id that later calls take. Only "linux".',
    input: Product,
    readOnly: false,
    async run({ product }, owner) {
      const { expiresAt, id } = await sessions.select(owner, product);
      return {
        text: `The product is ${product}, on the machine ${hostname()}. The workflow session is ${id}, until ${iso(expiresAt)}. Next, ask the person whether an sosreport may be collected now; if they say yes, call mint_engage_consent_token with permission_granted true and this session.`,
        structured: {
          workflow_session_id: id,
          product,
          machine: hostname(),
          expires_at: iso(expiresAt),
          next_tool: 'mint_engage_consent_token',
        },
      };
    },
  };
}

const Permission = inputOf({
  permission_granted: z.boolean().optional().describe('true only when the person has said yes, in this conversation, to collecting now.'),
  workflow_session_id: z.string().optional().describe('From select_engage_product. Default: the newest.'),
});

export function mintConsentTool(consent: Consent): EngageTool<typeof Permission> {
  return {
    name: 'mint_engage_consent_token',
    title: 'Note the consent of the person',
    description:
      'Step 2: after the person said yes to collecting an sosreport now, get a token that generate_sosreport takes. It works once, for 120 seconds. Never call it before they said yes.',
    input: Permission,
    readOnly: false,
    async run({ permission_granted: permissionGranted, workflow_session_id: sessionId }, owner) {
      const { expiresAt, session, token } = await consent.mint(owner, {
        permissionGranted,
        sessionId,
      });
      return {
        text: `The consent is noted. Call generate_sosreport before ${iso(expiresAt)} with consent_token ${token} and workflow_session_id ${session.id}. The token works once.`,
        structured: {
          consent_token: token,
          expires_at: iso(expiresAt),
          workflow_session_id: session.id,
          next_tool: 'generate_sosreport',
        },
      };
    },
  };
}
