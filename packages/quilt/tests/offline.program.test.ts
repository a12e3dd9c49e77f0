/** Without credentials, login or catalog: local resources work, the others say what to do. */
import { describe, expect, test } from 'vitest';
import type { Json, RawClient } from '../../footbridge/tests/support/client.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { serve } from '../../footbridge/tests/support/server.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { pack } from './support/environment.js';
import { dataOf, failureOf } from './support/reads.js';

useSources();

const WORKS = /^(?:auth|metadata|workflow):/;

function start(env: Readonly<Record<string, string>>): Promise<RawClient> {
  return serve(createWorld(), { args: pack(), env });
}

async function urisOf(client: RawClient): Promise<string[]> {
  const { structuredContent } = await client.call('get_resource', {});
  const groups: Json[][] = Object.values(structuredContent.data);
  return groups.flat().map(({ uri }) => uri);
}

describe.each([
  ['without the EC2 metadata service', { AWS_EC2_METADATA_DISABLED: 'true' }],
  ['with default settings', { NO_PROXY: '*' }],
])('%s', (_, env: Readonly<Record<string, string>>) => {
  test('each of the 19 resources works or says what to do', async () => {
    const client = await start(env);
    const uris = await urisOf(client);
    expect(uris).toHaveLength(19);
    const { workflow } = (await client.call('workflow_create', { name: 'Try', steps: ['one'] })).structuredContent;
    const failed: string[] = [];
    for (const pattern of uris) {
      const uri = pattern.replace('{template}', 'standard').replace('{workflow_id}', workflow.id);
      if (WORKS.test(uri)) await dataOf(client, uri);
      else {
        const failure = await failureOf(client, uri);
        expect(failure, uri).toMatchObject({ error: 'Unauthorized', message: `Resource '${uri}' requires a login.`, retryable: false });
        expect(failure.suggested_actions.join(' '), uri).toContain('quilt3 login');
        failed.push(uri);
      }
    }
    expect(failed).toHaveLength(10);
    expect(client.stderr).not.toMatch(/\bat .*\.js:\d+|Warning/);
  });
});

test('the login status says how to log in', async () => {
  const client = await start({ AWS_EC2_METADATA_DISABLED: 'true' });
  const data = await dataOf(client, 'auth://status');
  expect(data).toMatchObject({
    status: 'not_logged_in',
    logged_in: false,
    catalog_url: null,
    catalog_name: null,
    login_from: null,
    user: null,
  });
  expect(data.next_steps.join(' ')).toMatch(/quilt3 config.*quilt3 login.*QUILT_CATALOG_URL.*QUILT_ACCESS_TOKEN/);
  expect(data).not.toHaveProperty('problems');
  const info = await dataOf(client, 'auth://catalog/info');
  const nothing = { catalog_name: null, navigator_url: null, registry_url: null, region: null, tabulator_data_catalog: null };
  expect(info).toMatchObject({ ...nothing, is_logged_in: false });
  expect(info.next_steps).toEqual(data.next_steps.slice(0, info.next_steps.length));
  expect(await dataOf(client, 'auth://filesystem/status')).toMatchObject({ home: { writable: true }, temporary: { writable: true } });
});

test('an unreachable catalog does not affect the login status', async () => {
  const client = await start({ AWS_EC2_METADATA_DISABLED: 'true', QUILT_CATALOG_URL: 'http://127.0.0.1:9' });
  expect(await dataOf(client, 'auth://status')).toMatchObject({ status: 'not_logged_in', catalog_url: 'http://127.0.0.1:9' });
  expect(await dataOf(client, 'auth://catalog/info')).toMatchObject({
    navigator_url: 'http://127.0.0.1:9',
    registry_url: null,
    problem: { error: 'ResourceExecutionError', retryable: true },
  });
});
