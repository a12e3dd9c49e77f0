/** The three questions that we ask of Jira's REST interface, version 2, in the name of one account. */
import { ACCOUNT, ATTACHED, attachmentOf, attachmentsOf, ISSUE, type JiraAttachment, type JiraAttachments, understood } from './answers.js';
import { authorization, type Credentials, hider } from './credentials.js';
import { multipart, type OpenFile } from './multipart.js';
import { notWhole, type Subject } from './refusals.js';
import { type Answer, ask } from './request.js';

const ANSWER_MS = 30_000;
const UPLOAD_MS = 10 * 60_000;

export interface JiraClientOptions {
  /** Ends with a slash, as `jiraBaseUrl` makes it. */
  readonly baseUrl: URL;
  readonly credentials: Credentials;
  /** For a whole call, and within an upload for a time in which nothing moves. */
  readonly timeoutMs?: number;
  /** For a whole upload. */
  readonly uploadTimeoutMs?: number;
}

/** Every failure is a `Failure`; none of them, and no text that is returned, holds the secret or words of Jira's errors. */
export class JiraClient {
  readonly #baseUrl: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hide: (text: string) => string;
  readonly #timeoutMs: number;
  readonly #uploadTimeoutMs: number;

  constructor({ baseUrl, credentials, timeoutMs = ANSWER_MS, uploadTimeoutMs = UPLOAD_MS }: JiraClientOptions) {
    this.#baseUrl = baseUrl;
    this.#headers = { Authorization: authorization(credentials) };
    this.#hide = hider(credentials);
    this.#timeoutMs = timeoutMs;
    this.#uploadTimeoutMs = uploadTimeoutMs;
  }

  /** Asks whose account it is, which proves that the credentials are good; throws where they are not. */
  async myself(): Promise<void> {
    understood(await this.#get('myself', 'account'), 'account', ACCOUNT);
  }

  /** What is attached to an issue. `key` is as `issueKey` makes it. */
  async attachments(key: string): Promise<JiraAttachments> {
    const answer = await this.#get(`issue/${encodeURIComponent(key)}?fields=attachment`, 'issue');
    return attachmentsOf(key, understood(answer, 'issue', ISSUE), this.#hide);
  }

  /** Streams a file to an issue; its handle stays open. When `signal` is aborted the upload ends and the signal's reason is thrown. */
  async attach(
    key: string,
    file: OpenFile,
    onProgress?: (sentBytes: number, totalBytes: number) => void,
    signal?: AbortSignal,
  ): Promise<JiraAttachment> {
    const body = multipart(file);
    const upload = (expects: boolean): Promise<Answer> =>
      ask({
        url: this.#url(`issue/${encodeURIComponent(key)}/attachments`),
        subject: 'upload',
        headers: { ...this.#headers, 'X-Atlassian-Token': 'no-check' },
        body,
        expects,
        totalMs: this.#uploadTimeoutMs,
        idleMs: this.#timeoutMs,
        signal,
        onProgress: onProgress && ((sentBytes) => onProgress(Math.min(sentBytes, file.sizeBytes), file.sizeBytes)),
      });
    const first = await upload(true);
    // Some old proxies refuse to be asked whether the body is wanted.
    const [attachment] = understood(first.status === 417 ? await upload(false) : first, 'upload', ATTACHED);
    if (attachment.size !== file.sizeBytes) throw notWhole();
    return attachmentOf(key, attachment, this.#hide);
  }

  #get(path: string, subject: Subject): Promise<Answer> {
    return ask({ url: this.#url(path), subject, headers: this.#headers, totalMs: this.#timeoutMs, idleMs: this.#timeoutMs });
  }

  #url(path: string): URL {
    return new URL(`rest/api/2/${path}`, this.#baseUrl);
  }
}
