/** The tools of the workflow. */
import type { Pack, PackHost } from 'footbridge/pack';
import type * as z from 'zod/v4';
import type { Connections } from '../jira/connections.js';
import type { Artifacts } from '../sos/artifacts.js';
import type { Jobs } from '../sos/jobs.js';
import type { Consent } from '../workflow/consent.js';
import type { Sessions } from '../workflow/sessions.js';
import { connectTool } from './connect.js';
import { attachTool, connectionStatusTool, disconnectTool, listAttachmentsTool } from './jira.js';
import { fetchTool, generateTool, jobStatusTool } from './sosreport.js';
import { type EngageTool, engageTool } from './tool.js';
import { mintConsentTool, selectProductTool, startTool } from './workflow.js';

export interface WorkflowParts {
  readonly sessions: Sessions;
  readonly consent: Consent;
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  readonly connections: Connections;
}

export function createTools(
  { artifacts, connections, consent, jobs, sessions }: WorkflowParts,
  reach: PackHost['reach'],
  onUnexpected: (tool: string, cause: unknown) => void,
): NonNullable<Pack['tools']> {
  const create = <Schema extends z.ZodType>(tool: EngageTool<Schema>) => engageTool(tool, (cause) => onUnexpected(tool.name, cause));
  return [
    create(startTool),
    create(selectProductTool(sessions)),
    create(mintConsentTool(consent)),
    create(generateTool(consent, jobs)),
    create(jobStatusTool(jobs)),
    create(fetchTool(artifacts)),
    create(connectTool(connections, reach)),
    create(connectionStatusTool(connections)),
    create(listAttachmentsTool(connections)),
    create(attachTool(connections, artifacts)),
    create(disconnectTool(connections)),
  ];
}
