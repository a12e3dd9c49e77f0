/** Resources: the pages for MCP Apps hosts, and the jobs. */
import { defineResource, type Pack } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import { Failure } from './failure.js';
import { pageWithMachine } from './pages.js';
import type { Jobs } from './sos/jobs.js';
import { APP_URI, JOB_TEMPLATE, STEPS, stepUri } from './surface.js';
import { stateFields } from './tools/sosreport.js';

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
