/** URIs and metadata of the pack's MCP surface. */

export const APP_URI = 'ui://engage-red-hat-support/app.html';

export const STEPS = [
  { id: 'select-product', title: 'Select the product', tool: 'select_engage_product' },
  { id: 'sos-report', title: 'Collect an sosreport, with your consent', tool: 'generate_sosreport' },
  { id: 'jira-attach', title: 'Attach it to a Jira issue', tool: 'jira_attach_artifact' },
] as const;

export type StepId = (typeof STEPS)[number]['id'];

export function stepUri(id: StepId): string {
  return `ui://engage-red-hat-support/steps/${id}.html`;
}

const JOB = 'resource://engage/sosreport/jobs/';
export const JOB_TEMPLATE = `${JOB}{job_id}` as const;

export function jobUri(jobId: string): string {
  return `${JOB}${jobId}`;
}

/** `_meta` of every tool in the workflow. */
export const TOOL_META = {
  ui: { resourceUri: APP_URI },
  'openai/outputTemplate': APP_URI,
  'openai/widgetAccessible': true,
} as const;
