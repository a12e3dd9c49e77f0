/** When a change of a server is shown to hosts. */

/** Changes that are shown together. */
export interface Showing {
  readonly isDone: boolean;
  readonly done: Promise<void>;
}

/** Nothing has to be shown. */
export const SHOWN: Showing = { isDone: true, done: Promise.resolve() };
