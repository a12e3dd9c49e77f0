/** How the page calls tools, in a host and in its own tab. */
import type { Fields } from '../../../footbridge/page/json.js';

/** The result of a tool, including errors. */
export interface Outcome {
  readonly isError: boolean;
  readonly structuredContent: Fields;
  readonly text: string;
}

export interface Progress {
  readonly done: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

export interface CallOptions {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** Where the page is shown. Secrets are only entered in a page of the server itself, since a host can read its messages. */
export type Context =
  | {
      readonly place: 'page';
      /** The host name of the server's URL. */
      readonly machine: string;
      /** Sends JSON to a path of the server's own API. */
      readonly post: (path: string, body: Fields) => Promise<Outcome>;
    }
  | { readonly place: 'host' };

/** Tool results by topic, and the same as text. */
export interface Known {
  readonly answers: Readonly<Record<string, Fields>>;
  readonly text: string;
}

export interface Bridge {
  readonly context: Context;
  /** Throws a `PageFailure` if there is no response. */
  call(tool: string, input: Fields, options?: CallOptions): Promise<Outcome>;
  /** False if it was not opened, so the URL must be shown. */
  openLink(url: string): Promise<boolean>;
  /** Calls `listener` with earlier results: in a host those of the assistant, in a tab those from before a reload. */
  onGiven(listener: (given: Fields) => void): void;
  /** Publishes the state: in a host for the assistant, in a tab for a reload. */
  keep(known: Known): void;
}
