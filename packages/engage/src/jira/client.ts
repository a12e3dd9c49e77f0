/** A client for the parts of Jira's REST API v2 that the workflow needs. */
import { parseJson } from 'footbridge/pack';
import * as z from 'zod/v4';
import { singleLine } from '../text.js';
import { authorization, type Credentials, redactor } from './credentials.js';
import { incompleteUpload, malformedResponse, responseFailure, type Subject, ssoRedirect } from './errors.js';
import { type JiraResponse, multipart, type OpenFile, sendRequest } from './http.js';

const REQUEST_TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 10 * 60_000;
const MAX_FILENAME_LENGTH = 255;
const MAX_NAME_LENGTH = 100;
const MAX_ATTACHMENTS = 100;

export interface JiraAttachment {
  readonly issue_key: string;
  readonly attachment_id: string;
  readonly filename: string;
  readonly size_bytes: number;
  /** ISO 8601, UTC. */
  readonly created_at: string;
}

const ACCOUNT = z.object({ displayName: z.string() });
const ATTACHMENT = z.object({
  id: z.string().regex(/^\d{1,30}$/),
  filename: z.string(),
  size: z.number().int().nonnegative(),
  created: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
});
const ISSUE = z.object({ fields: z.object({ attachment: z.array(ATTACHMENT).default([]) }) });
const ATTACHED = z.tuple([ATTACHMENT], z.unknown());

export interface JiraClientOptions {
  /** From `jiraBaseUrl`. */
  readonly baseUrl: URL;
  readonly credentials: Credentials;
  /** From `addressCheck`. */
  readonly mayConnect?: ((address: string) => boolean) | undefined;
  /** For a request, and for inactivity during an upload. */
  readonly timeoutMs?: number;
  readonly uploadTimeoutMs?: number;
}

/** Throws only `Failure`. Neither failures nor results contain the secret or Jira's error texts. */
export class JiraClient {
  readonly #baseUrl: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #mayConnect: JiraClientOptions['mayConnect'];
  readonly #redact: (text: string) => string;
  readonly #timeoutMs: number;
  readonly #uploadTimeoutMs: number;

  constructor({
    baseUrl,
    credentials,
    mayConnect,
    timeoutMs = REQUEST_TIMEOUT_MS,
    uploadTimeoutMs = UPLOAD_TIMEOUT_MS,
  }: JiraClientOptions) {
    this.#baseUrl = baseUrl;
    this.#headers = { Authorization: authorization(credentials) };
    this.#mayConnect = mayConnect;
    this.#redact = redactor(credentials);
    this.#timeoutMs = timeoutMs;
    this.#uploadTimeoutMs = uploadTimeoutMs;
  }

  /** Verifies the credentials; returns the name of their owner in Jira. */
  async myself(): Promise<string> {
    const { displayName } = parse(await this.#get('myself', 'account'), 'account', ACCOUNT);
    return singleLine(displayName, MAX_NAME_LENGTH, this.#redact).trim();
  }

  /** The newest first, at most 100; `total` includes those left out. `key` is from `issueKey`. */
  async attachments(key: string) {
    const response = await this.#get(`issue/${encodeURIComponent(key)}?fields=attachment`, 'issue');
    const { attachment: all } = parse(response, 'issue', ISSUE).fields;
    const newest = all.toSorted((a, b) => Date.parse(b.created) - Date.parse(a.created)).slice(0, MAX_ATTACHMENTS);
    return { attachments: newest.map((each) => this.#attachment(key, each)), total: all.length };
  }

  /** Streams a file to an issue. The caller closes the file. Aborting throws the signal's reason. */
  async attach(
    key: string,
    file: OpenFile,
    onProgress?: (sentBytes: number, totalBytes: number) => void,
    signal?: AbortSignal,
  ): Promise<JiraAttachment> {
    const body = multipart(file);
    const upload = (expectContinue: boolean): Promise<JiraResponse> =>
      sendRequest({
        url: this.#url(`issue/${encodeURIComponent(key)}/attachments`),
        subject: 'upload',
        headers: { ...this.#headers, 'X-Atlassian-Token': 'no-check' },
        mayConnect: this.#mayConnect,
        body,
        expectContinue,
        totalTimeoutMs: this.#uploadTimeoutMs,
        idleTimeoutMs: this.#timeoutMs,
        signal,
        onProgress: onProgress && ((sentBytes) => onProgress(Math.min(sentBytes, file.sizeBytes), file.sizeBytes)),
      });
    const first = await upload(true);
    // 417 Expectation Failed: some old proxies do not support `Expect`.
    const [attachment] = parse(first.status === 417 ? await upload(false) : first, 'upload', ATTACHED);
    if (attachment.size !== file.sizeBytes) throw incompleteUpload();
    return this.#attachment(key, attachment);
  }

  #attachment(key: string, { id, filename, size, created }: z.infer<typeof ATTACHMENT>): JiraAttachment {
    return {
      issue_key: key,
      attachment_id: id,
      filename: singleLine(filename, MAX_FILENAME_LENGTH, this.#redact),
      size_bytes: size,
      created_at: new Date(created).toISOString(),
    };
  }

  #get(path: string, subject: Subject): Promise<JiraResponse> {
    const timeouts = { totalTimeoutMs: this.#timeoutMs, idleTimeoutMs: this.#timeoutMs };
    return sendRequest({ url: this.#url(path), subject, headers: this.#headers, mayConnect: this.#mayConnect, ...timeouts });
  }

  #url(path: string): URL {
    return new URL(`rest/api/2/${path}`, this.#baseUrl);
  }
}

function parse<T>({ status, headers, text, sentWhole }: JiraResponse, subject: Subject, schema: z.ZodType<T>): T {
  if (status < 200 || status >= 300) throw responseFailure(status, headers, subject);
  if (/^text\/html|^application\/xhtml/i.test(headers['content-type'] ?? '') || /^\s*</.test(text)) throw ssoRedirect();
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw malformedResponse();
  if (!sentWhole) throw incompleteUpload();
  return parsed.data;
}
