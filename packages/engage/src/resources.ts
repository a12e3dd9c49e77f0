/** What the pack has to read: its pages for hosts that show them, and its jobs. */
import { defineResource, type Pack } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import { Failure } from './failure.js';
import { pageWithMachine } from './pages.js';
import type { Jobs } from './sos/jobs.js';
import { APP_URI, JOB_TEMPLATE, STEPS, stepUri } from './surface.js';
import { stateFields } from './tools/sosreport.js';

/** A page that a host shows beside the conversation. */
const PAGE_TYPE = 'text/html;profile=mcp-app';
const CATEGORY = 'engage-red-hat-support';

export function resourcesOf(jobs: Jobs): NonNullable<Pack['resources']> {
  return [
    defineResource({
      uri: APP_URI,
      name: 'engage-red-hat-support-app',
      title: 'Engage Red Hat Support',
      description: 'The page of the whole workflow, for hosts that show pages.',
      category: CATEGORY,
      mimeType: PAGE_TYPE,
      read: () => pageWithMachine('app'),
    }),
    ...STEPS.map(({ id, title }) =>
      defineResource({
        uri: stepUri(id),
        name: `engage-red-hat-support-${id}`,
        title,
        description: `The page of one step: ${title}.`,
        category: CATEGORY,
        mimeType: PAGE_TYPE,
        read: () => pageWithMachine(id),
      }),
    ),
    defineResource({
      uri: JOB_TEMPLATE,
      name: 'sosreport-job',
      title: 'Collecting an sosreport',
      description: 'How a job of generate_sosreport gets on; subscribe to be told of each change.',
      category: CATEGORY,
      mimeType: 'application/json',
      read: ({ job_id: jobId }, { caller }) =>
        jobs.state(ownerOf(caller), jobId).then(stateFields, (cause: unknown) => {
          // Somebody else's is nothing, too.
          if (cause instanceof Failure) return undefined;
          throw cause;
        }),
    }),
  ];
}
