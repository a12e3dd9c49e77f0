/** From the first call to the attachment, with real sos and a Jira server. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import type { JiraServer } from './support/jira-server.js';
import { FAST, type Host, startStdio, startTeam } from './support/program.js';
import { newJira } from './support/use-jira.js';

useSources();

const PAT = 'a-personal-access-token-of-nobody';

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Sends what the page sends. */
async function fillIn(url: string, jira: JiraServer): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jira_base_url: jira.baseUrl, pat: PAT }),
  });
}

/** The whole workflow by tools alone. */
async function walkThrough(host: Host, jira: JiraServer): Promise<{ connectionId: string; jobId: string; artifactRef: string }> {
  const start = await host.call('start_engage_red_hat_support');
  expect(start.structuredContent.steps.map(({ id }: { id: string }) => id)).toEqual(['select-product', 'sos-report', 'jira-attach']);

  const { workflow_session_id: session } = (await host.call('select_engage_product', { product: 'linux' })).structuredContent;
  expect(await host.call('generate_sosreport', { workflow_session_id: session, ...FAST })).toMatchObject({
    isError: true,
    structuredContent: { code: 'consent_missing' },
  });
  expect(await host.call('mint_engage_consent_token', { workflow_session_id: session })).toMatchObject({
    isError: true,
    structuredContent: { code: 'explicit_permission_required' },
  });
  const consent = await host.call('mint_engage_consent_token', { permission_granted: true, workflow_session_id: session });
  const { result, progress } = await host.callWithProgress('generate_sosreport', {
    consent_token: consent.structuredContent.consent_token,
    workflow_session_id: session,
    // Slow enough to report progress on any machine.
    only_plugins: [...FAST.only_plugins, 'kernel'],
  });
  expect(result.isError).not.toBe(true);
  expect(result.structuredContent).toMatchObject({ status: 'completed', archive_name: expect.stringMatching(/^sosreport-.*\.tar\.xz$/) });
  expect(progress.length).toBeGreaterThan(0);
  expect(progress.map((each) => each.progress)).toEqual(progress.map((each) => each.progress).toSorted((one, other) => one - other));

  const { job_id: jobId } = result.structuredContent;
  const status = await host.call('get_generate_sosreport_status', { job_id: jobId });
  expect(status.structuredContent).toEqual(result.structuredContent);
  const read = await host.request('resources/read', { uri: `resource://engage/sosreport/jobs/${jobId}` });
  expect(JSON.parse(read.result.contents[0].text)).toEqual(status.structuredContent);

  const fetched = (await host.call('fetch_sosreport', { fetch_reference: result.structuredContent.fetch_reference })).structuredContent;
  const archive = readFileSync(fetched.path);
  expect(fetched).toMatchObject({
    sha256: sha256(archive),
    size_bytes: archive.length,
    archive_name: result.structuredContent.archive_name,
  });

  expect((await host.call('jira_connection_status')).structuredContent.connections).toEqual([]);
  const connect = (await host.call('jira_connect', { jira_base_url: jira.baseUrl })).structuredContent;
  expect((await host.call('jira_connection_status', { connection_id: connect.connection_id })).structuredContent.status).toBe('pending');
  expect((await fetch(connect.connect_url)).status).toBe(200);
  expect((await fillIn(connect.connect_url, jira)).status).toBe(201);
  const { connection_id: connectionId } = connect;
  const connected = await host.call('jira_connection_status', { connection_id: connectionId });
  expect(connected.structuredContent).toMatchObject({ connection_id: connectionId, status: 'active' });

  const listed = await host.call('jira_list_attachments', { connection_id: connectionId, issue_key: 'ABC-1' });
  const before = listed.structuredContent.attachments.length;
  const attached = await host.call('jira_attach_artifact', {
    connection_id: connectionId,
    issue_key: 'ABC-1',
    artifact_ref: fetched.artifact_ref,
  });
  expect(attached.structuredContent.attachment).toMatchObject({ filename: fetched.archive_name, size_bytes: archive.length });
  const received = jira.attachments.at(-1);
  expect(received).toMatchObject({ issueKey: 'ABC-1', filename: fetched.archive_name });
  expect(sha256(received?.bytes ?? new Uint8Array())).toBe(fetched.sha256);
  const after = await host.call('jira_list_attachments', { connection_id: connectionId, issue_key: 'abc-1' });
  expect(after.structuredContent.attachments).toHaveLength(before + 1);
  return { connectionId, jobId, artifactRef: fetched.artifact_ref };
}

describe.each(['2025-11-25', '2026-07-28'] as const)('over stdio in %s', (version) => {
  it('completes the workflow with tools alone and disconnects', async () => {
    const jira = await newJira({ pat: PAT });
    const host = await startStdio(createWorld(), { version });
    const { connectionId } = await walkThrough(host, jira);
    expect((await host.call('jira_disconnect', { connection_id: connectionId })).structuredContent).toMatchObject({ status: 'revoked' });
    expect(await host.call('jira_list_attachments', { connection_id: connectionId, issue_key: 'ABC-1' })).toMatchObject({
      isError: true,
      structuredContent: { code: 'connection_revoked' },
    });
  });
});

describe('over HTTP with two people', () => {
  it('lets each complete it, and neither see, use or delete what belongs to the other', async () => {
    const jira = await newJira({ pat: PAT });
    const team = await startTeam(createWorld(), ['ada', 'grace']);
    const ada = team.host('ada');
    const grace = team.host('grace');
    const hers = await walkThrough(ada, jira);

    expect((await grace.call('jira_connection_status')).structuredContent.connections).toEqual([]);
    for (const [tool, args, code] of [
      ['jira_connection_status', { connection_id: hers.connectionId }, 'not_found'],
      ['jira_list_attachments', { connection_id: hers.connectionId, issue_key: 'ABC-1' }, 'not_found'],
      ['jira_disconnect', { connection_id: hers.connectionId }, 'not_found'],
      ['get_generate_sosreport_status', { job_id: hers.jobId }, 'validation_error'],
    ] as const)
      expect(await grace.call(tool, args)).toMatchObject({ isError: true, structuredContent: { code } });
    const job = `resource://engage/sosreport/jobs/${hers.jobId}`;
    expect((await grace.request('resources/read', { uri: job })).error).toBeDefined();
    for (const method of ['GET', 'DELETE'])
      expect((await team.fetch('grace', `/api/jira/connections/${hers.connectionId}`, { method })).status).toBe(404);
    expect((await team.fetch('ada', `/api/jira/connections/${hers.connectionId}`)).status).toBe(200);

    const theirs = await walkThrough(grace, jira);
    expect(
      await grace.call('jira_attach_artifact', { connection_id: theirs.connectionId, issue_key: 'ABC-1', artifact_ref: hers.artifactRef }),
    ).toMatchObject({ isError: true, structuredContent: { code: 'artifact_invalid' } });
    expect((await team.fetch('ada', `/api/jira/connections/${hers.connectionId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await ada.call('jira_connection_status', { connection_id: hers.connectionId })).structuredContent.status).toBe('revoked');
    expect((await grace.call('jira_connection_status', { connection_id: theirs.connectionId })).structuredContent.status).toBe('active');
  }, 90_000);
});
