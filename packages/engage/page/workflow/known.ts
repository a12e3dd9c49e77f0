/** The state of the workflow, as tool results and as text for the assistant. */
import type { Fields } from '../../../footbridge/page/json.js';
import type { Known } from '../bridge/bridge.js';
import type { Workflow } from './state.js';

export function knownOf(workflow: Workflow): Known {
  const { session, collection, connection, attached } = workflow;
  const answers: Record<string, Fields> = {};
  const words = ['The person is on the workflow page.'];
  if (session !== undefined) {
    answers['product'] = { workflow_session_id: session, product: 'linux' };
    words.push('They selected Linux.');
  }
  if (collection.at === 'working' && collection.job !== undefined) {
    answers['job'] = { job_id: collection.job, status: 'running' };
    words.push('They agreed to collecting an sosreport, and it is being collected.');
  }
  if (collection.at === 'collected') {
    const { name, bytes, reference } = collection.archive;
    answers['archive'] = { archive_name: name, size_bytes: bytes, fetch_reference: reference };
    words.push(`An sosreport was collected but not fetched: ${name}.`);
  }
  if (collection.at === 'fetched') {
    const { name, path, bytes, sha256, reference } = collection.bundle;
    answers['bundle'] = { path, archive_name: name, size_bytes: bytes, sha256, artifact_ref: reference };
    words.push(`An sosreport was fetched: ${path}.`);
  }
  if (connection !== undefined) {
    const { id, status, account, baseUrl, expiresAt } = connection;
    answers['connection'] = {
      connection_id: id,
      status,
      jira_base_url: baseUrl,
      ...(account === undefined ? {} : { jira_account: account }),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    };
    words.push(`Jira is connected: ${baseUrl}.`);
  }
  if (attached !== undefined) {
    const { issue, id, filename, bytes } = attached.attachment;
    answers['attachment'] = { issue_key: issue, attachment_id: id, filename, size_bytes: bytes };
    words.push(`${filename} is attached to ${issue}.`);
  }
  return { answers, text: words.join(' ') };
}
