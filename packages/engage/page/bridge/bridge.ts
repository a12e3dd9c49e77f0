/** How the page reaches the tools: one interface, the same within a host and in a tab of its own. */
import type { Fields } from '../../../footbridge/page/json.js';

/** What a tool answered; a failure of the tool is an answer too. */
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

/** Where the page is shown. Only a page of the server's own may take a secret: what is sent in a host, the host can read. */
export type Context =
  | {
      readonly place: 'page';
      /** The name under which the server was reached. */
      readonly machine: string;
      /** Sends JSON to a path of the server's own API. */
      readonly post: (path: string, body: Fields) => Promise<Outcome>;
    }
  | { readonly place: 'host' };

/** Answers of tools by what they are about, and the same in words. */
export interface Known {
  readonly answers: Readonly<Record<string, Fields>>;
  readonly text: string;
}

export interface Bridge {
  readonly context: Context;
  /** Throws a `Failure` when there is no answer at all. */
  call(tool: string, input: Fields, options?: CallOptions): Promise<Outcome>;
  /** False when it was not opened, and the person has to be shown the address. */
  openLink(url: string): Promise<boolean>;
  /** Calls `listener` with what there is already: in a host what tools gave the assistant, in a tab what was kept before a reload. */
  onGiven(listener: (given: Fields) => void): void;
  /** Lets others go on from what is known now: in a host the assistant, in a tab this page after a reload. */
  keep(known: Known): void;
}
