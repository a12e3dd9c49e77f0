/** Credentials and files for tests with the Jira server. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { jiraBaseUrl } from '../../src/jira/base-url.js';
import { JiraClient, type JiraClientOptions } from '../../src/jira/client.js';
import type { Credentials } from '../../src/jira/credentials.js';
import type { JiraServer } from './jira-server.js';
import { newFolder } from './state-folder.js';

export const PAT = 'NDk2/MzQ1+secret=of~the-person';
export const ACCOUNT = { email: 'jane@example.com', token: 'ATATT3x/cloud+secret=12' };
export const BEARER: Credentials = { mode: 'bearer_pat', pat: PAT };
export const BASIC: Credentials = { mode: 'basic_cloud', ...ACCOUNT };

/** The body that the page submits. */
export function bodyFor({ baseUrl }: Pick<JiraServer, 'baseUrl'>, pat = PAT) {
  return { jira_base_url: baseUrl, pat };
}

export function clientOf({ baseUrl }: Pick<JiraServer, 'baseUrl'>, options: Partial<JiraClientOptions> = {}): JiraClient {
  return new JiraClient({ credentials: BEARER, ...options, baseUrl: jiraBaseUrl(baseUrl, { local: true }) });
}

/** An open file, closed when the test ends. */
export async function fileOf(content: Uint8Array, name = 'sosreport.tar.xz') {
  const path = join(await newFolder(), 'file');
  await writeFile(path, content);
  const handle = await open(path);
  onTestFinished(() => handle.close());
  return { path, file: { name, sizeBytes: content.length, handle } };
}
