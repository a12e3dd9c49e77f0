/** A Jira for the tests of a file, or for one of them. */
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { type JiraOptions, type JiraServer, startJira } from './jira-server.js';

/** One for all tests of a file, which behaves again after each. To be asked for within a test. */
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

/** One until the test is over. */
export async function newJira(options: JiraOptions): Promise<JiraServer> {
  const jira = await startJira(options);
  onTestFinished(() => jira.close());
  return jira;
}
