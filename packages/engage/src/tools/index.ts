/** All tools of the workflow. */
import type { Pack, PackHost } from 'footbridge/pack';
import type * as z from 'zod/v4';
import type { Connections } from '../jira/connections.js';
import type { Artifacts } from '../sos/artifacts.js';
import type { Jobs } from '../sos/jobs.js';
import type { Consent } from '../workflow/consent.js';
import type { Sessions } from '../workflow/sessions.js';
import { connectTool } from './connect.js';
import { attachTool, disconnectTool, listAttachmentsTool, statusOfConnectionTool } from './jira.js';
import { fetchTool, generateTool, statusTool } from './sosreport.js';
import { type EngageTool, engageTool } from './tool.js';
import { mintConsentTool, selectProductTool, startTool } from './workflow.js';

export interface Workflow {
  readonly sessions: Sessions;
  readonly consent: Consent;
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  readonly connections: Connections;
}

/** `unforeseen` is told of what nobody thought of, with the tool's name. */
export function toolsOf(
  { artifacts, connections, consent, jobs, sessions }: Workflow,
  reach: PackHost['reach'],
  unforeseen: (tool: string, cause: unknown) => void,
): NonNullable<Pack['tools']> {
  const made = <Schema extends z.ZodType>(tool: EngageTool<Schema>) => engageTool(tool, (cause) => unforeseen(tool.name, cause));
  return [
    made(startTool),
    made(selectProductTool(sessions)),
    made(mintConsentTool(consent)),
    made(generateTool(consent, jobs)),
    made(statusTool(jobs)),
    made(fetchTool(artifacts)),
    made(connectTool({ connections, reach })),
    made(statusOfConnectionTool(connections)),
    made(listAttachmentsTool(connections)),
    made(attachTool(connections, artifacts)),
    made(disconnectTool(connections)),
  ];
}
