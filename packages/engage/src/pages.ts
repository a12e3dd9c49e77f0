/** The built pages of the pack. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { defineResource, type Pack } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure } from './failure.js';
import type { Jobs } from './sos/jobs.js';
import { APP_URI, JOB_TEMPLATE, STEPS, type StepId, stepUri } from './surface.js';
import { stateFields } from './tools/sosreport.js';

export type PageName = 'app' | 'connect' | StepId;

const folder = join(import.meta.dirname, '..', 'bundle', 'page');

/** Placeholder for the host name. */
const MACHINE = '__MACHINE__';

export function page(name: PageName): string {
  return readFileSync(join(folder, `${name}.html`), 'utf8');
}

/** With the host name, for authenticated callers. */
export function pageWithMachine(name: PageName): string {
  return page(name).replace(MACHINE, () => hostname().replace(/[^\w.-]/g, ''));
}

/** CSP hashes of each page's inline script and style. */
const Policies = z.record(z.string(), z.object({ script: z.string(), style: z.string() }));

/** Headers for a page opened directly in a browser: only its own inline script and style may run. */
export function pageHeaders(name: PageName): Readonly<Record<string, string>> {
  const { [`${name}.html`]: own } = Policies.parse(JSON.parse(readFileSync(join(folder, 'policies.json'), 'utf8')));
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `script-src '${own?.script}'`,
      `style-src '${own?.style}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}

/** MCP Apps. */
const PAGE_TYPE = 'text/html;profile=mcp-app';
const CATEGORY = 'engage-red-hat-support';

export function createResources(jobs: Jobs): NonNullable<Pack['resources']> {
  return [
    defineResource({
      uri: APP_URI,
      name: 'engage-red-hat-support-app',
      title: 'Engage Red Hat Support',
      description: 'The page for the whole workflow, for hosts that support MCP Apps.',
      category: CATEGORY,
      mimeType: PAGE_TYPE,
      read: () => pageWithMachine('app'),
    }),
    ...STEPS.map(({ id, title }) =>
      defineResource({
        uri: stepUri(id),
        name: `engage-red-hat-support-${id}`,
        title,
        description: `The page for one step: ${title}.`,
        category: CATEGORY,
        mimeType: PAGE_TYPE,
        read: () => pageWithMachine(id),
      }),
    ),
    defineResource({
      uri: JOB_TEMPLATE,
      name: 'sosreport-job',
      title: 'sosreport job',
      description: 'The state of a generate_sosreport job. Subscribe to be notified of changes.',
      category: CATEGORY,
      mimeType: 'application/json',
      read: ({ job_id: jobId }, { caller }) =>
        jobs.state(ownerOf(caller), jobId).then(stateFields, (cause: unknown) => {
          // Not found, or owned by another caller.
          if (cause instanceof Failure) return undefined;
          throw cause;
        }),
    }),
  ];
}
