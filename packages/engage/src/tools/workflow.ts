/** The tools that start the workflow, select the product, and record consent. */
import { hostname } from 'node:os';
import * as z from 'zod/v4';
import { APP_URI, STEPS, stepUri } from '../surface.js';
import { iso } from '../text.js';
import type { Consent, Sessions } from '../workflow/consent.js';
import { type EngageTool, inputSchema } from './tool.js';

const NoInput = inputSchema({});

export const startTool: EngageTool<typeof NoInput> = {
  name: 'start_engage_red_hat_support',
  title: 'Start Engage Red Hat Support',
  description:
    'Start the Red Hat Support workflow: collect a Linux diagnostic archive (sosreport) with consent, and attach it to a Jira issue. Returns the steps; collects nothing.',
  input: NoInput,
  readOnly: true,
  run: async () => ({
    text: [
      'Engage Red Hat Support has three steps:',
      ...STEPS.map(({ id, title, tool }, index) => `${index + 1}. ${title} (${tool}; page ${stepUri(id)})`),
      '',
      'Nothing is collected before the person agrees. First call select_engage_product with product "linux".',
      `Instructions for guiding a person are in skill://engage-red-hat-support/SKILL.md; hosts with MCP Apps can show ${APP_URI}.`,
    ].join('\n'),
    structured: {
      steps: STEPS.map(({ id, title, tool }) => ({ id, title, tool, ui_resource_uri: stepUri(id) })),
      ui_resource_uri: APP_URI,
      skill_uri: 'skill://engage-red-hat-support/SKILL.md',
      next_tool: 'select_engage_product',
    },
  }),
};

const Product = inputSchema({ product: z.literal('linux').describe('The product that needs support. Only "linux" is supported.') });

export function selectProductTool(sessions: Sessions): EngageTool<typeof Product> {
  return {
    name: 'select_engage_product',
    title: 'Select the product',
    description: 'Step 1: select the product (only "linux"), and get the workflow_session_id for later calls.',
    input: Product,
    readOnly: false,
    async run({ product }, owner) {
      const { expiresAt, id } = await sessions.select(owner, product);
      return {
        text: `The product is ${product}, on the machine ${hostname()}. The workflow session is ${id}, until ${iso(expiresAt)}. Next, ask the person whether an sosreport may be collected now; if they agree, call mint_engage_consent_token with permission_granted true and this session.`,
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

const Permission = inputSchema({
  permission_granted: z.boolean().optional().describe('true only if the person has agreed, in this conversation, to collecting now.'),
  workflow_session_id: z.string().optional().describe('From select_engage_product. Default: the latest.'),
});

export function mintConsentTool(consent: Consent): EngageTool<typeof Permission> {
  return {
    name: 'mint_engage_consent_token',
    title: 'Record consent',
    description:
      'Step 2: after the person has agreed to collecting an sosreport now, get the token for generate_sosreport. It is single-use and expires after 120 seconds. Never call it before they agree.',
    input: Permission,
    readOnly: false,
    async run({ permission_granted: permissionGranted, workflow_session_id: sessionId }, owner) {
      const { expiresAt, session, token } = await consent.mint(owner, { permissionGranted, sessionId });
      return {
        text: `The consent is recorded. Call generate_sosreport before ${iso(expiresAt)} with consent_token ${token} and workflow_session_id ${session.id}. The token can be used once.`,
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
