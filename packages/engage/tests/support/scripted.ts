/** Scripted tools that record their calls. */

export type Fields = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly isError?: boolean;
  readonly structuredContent: Fields;
}

export type Tell = (progress: Fields) => void;
export type Tool = (input: Fields, tell: Tell) => Answer | Promise<Answer>;

export interface Scripted {
  /** Each call, in order. */
  readonly calls: { readonly tool: string; readonly input: Fields }[];
  readonly tools: Record<string, Tool>;
  call(tool: string, input: Fields, tell: Tell): Promise<Answer>;
  /** The names of the tools that were called, in order. */
  names(): readonly string[];
  /** Pauses the collection at its second plugin until the returned function is called. */
  hold(): () => void;
}

export const SESSION = 'session-1';
export const ARCHIVE = 'sosreport-web1-2026-11-15.tar.xz';
export const JIRA = 'https://issues.example.com';
export const ATTACHED = {
  issue_key: 'ABC-123',
  attachment_id: '10001',
  filename: 'notes.txt',
  size_bytes: 2048,
  created_at: '2026-11-01T10:00:00Z',
};

export function answer(structuredContent: Fields): Answer {
  return { structuredContent };
}

export function failure(code: string, message: string, action: string): Answer {
  return { isError: true, structuredContent: { code, message, text: `${message} ${action}` } };
}

/** What a call without connection_id is refused with. */
export function connectionsOf(...connections: readonly Fields[]): Answer {
  const refused = failure('validation_error', 'connection_id is missing.', 'Call again with one of your connections.');
  return { ...refused, structuredContent: { ...refused.structuredContent, connections } };
}

const TIMES = { expires_at: '2026-11-16T10:00:00Z', last_verified_at: '2026-11-15T10:00:00Z' };

export function connection(status: string, id = 'connection-1'): Fields {
  return { connection_id: id, status, jira_base_url: JIRA, jira_account: 'Jane Doe', ...TIMES };
}

const MADE = { archive_name: ARCHIVE, size_bytes: 12_345_678, created_at: '2026-11-15T10:00:00Z', fetch_reference: 'fetch-1' };

/** By default everything succeeds, with three progress reports. */
export function createScripted(): Scripted {
  const calls: Scripted['calls'] = [];
  let held: Promise<void> | undefined;
  const tools: Record<string, Tool> = {
    select_engage_product: () => answer({ workflow_session_id: SESSION, product: 'linux', expires_at: '2026-11-15T11:00:00Z' }),
    mint_engage_consent_token: () =>
      answer({ consent_token: 'consent-1', expires_at: '2026-11-15T10:02:00Z', workflow_session_id: SESSION }),
    async generate_sosreport(_input, tell) {
      for (const [done, plugin] of ['kernel', 'networking', 'systemd'].entries()) {
        tell({ progress: done + 1, total: 3, message: `Running plugin ${plugin}` });
        await new Promise((resolve) => setTimeout(resolve, 50));
        if (plugin === 'networking') await held;
      }
      return answer({ job_id: 'job-1', status: 'completed', ...MADE });
    },
    get_generate_sosreport_status: () => answer({ job_id: 'job-1', status: 'completed', ...MADE }),
    fetch_sosreport: () =>
      answer({
        path: `/var/lib/footbridge/engage/${ARCHIVE}`,
        archive_name: ARCHIVE,
        size_bytes: 12_345_678,
        sha256: 'ab12'.repeat(16),
        artifact_ref: 'artifact-1',
        expires_at: '2026-11-16T10:00:00Z',
      }),
    jira_connect: () =>
      answer({
        connection_id: 'connection-1',
        status: 'pending',
        connect_url: 'https://bridge.example.com/engage/connect/t1',
        expires_at: '',
      }),
    jira_connection_status: ({ connection_id }) => (connection_id === undefined ? connectionsOf() : answer(connection('active'))),
    jira_list_attachments: ({ issue_key }) => answer({ issue_key, attachments: [ATTACHED] }),
    jira_attach_artifact: ({ connection_id, issue_key }) =>
      answer({
        connection_id,
        issue_key,
        attachment: { issue_key, attachment_id: '10002', filename: ARCHIVE, size_bytes: 12_345_678, created_at: '2026-11-15T10:05:00Z' },
      }),
    jira_disconnect: ({ connection_id }) => answer({ connection_id, status: 'revoked' }),
  };
  return {
    calls,
    tools,
    hold() {
      let goOn: () => void = () => {};
      held = new Promise((resolve) => {
        goOn = resolve;
      });
      return goOn;
    },
    async call(tool, input, tell) {
      calls.push({ tool, input });
      return (await tools[tool]?.(input, tell)) ?? failure('unexpected_error', `There is no tool ${tool}.`, 'Use another.');
    },
    names: () => calls.map(({ tool }) => tool),
  };
}
