/** A Jira server for one or all tests of a file. */
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { type JiraOptions, type JiraServer, startJira } from './jira-server.js';

/** Shared by all tests of a file, and reset after each. Call the result within a test. */
export function useJira(options: JiraOptions): () => JiraServer {
  let jira: JiraServer | undefined;
  beforeAll(async () => {
    jira = await startJira(options);
  });
  afterEach(() => jira?.behave());
  afterAll(() => jira?.close());
  return () => {
    if (jira === undefined) throw new Error('Jira is not started yet');
    return jira;
  };
}

/** Closed when the test finishes. */
export async function newJira(options: JiraOptions): Promise<JiraServer> {
  const jira = await startJira(options);
  onTestFinished(() => jira.close());
  return jira;
}
