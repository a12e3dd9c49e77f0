/** The catalog as this caller may see it, and the ways to have it looked at again. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PageData, PageFiles } from '../src/serve/http/page/shapes.js';
import { onSignedOut, Problem, request } from './request.js';

export type CatalogState =
  | { readonly status: 'loading' }
  | {
      readonly status: 'ready';
      readonly data: PageData;
      /** Another one is the reason to read content again. */
      readonly version: number;
      readonly problem: Problem | undefined;
    }
  | { readonly status: 'failed'; readonly problem: Problem };

/** Looks again; `thoroughly` has content read again even where the catalog is the same. */
export type Refresh = (thoroughly?: boolean) => Promise<void>;

/** How often it is looked whether something changed, while somebody looks at the page. */
const LOOK_AGAIN_MS = 15_000;

/** Loads at once, again and again, and when the tab is looked at; what did not change costs an empty answer. */
export function useCatalog(): { readonly state: CatalogState; readonly refresh: Refresh } {
  const [state, setState] = useState<CatalogState>({ status: 'loading' });
  const etag = useRef<string | undefined>(undefined);
  const refresh = useCallback(async (thoroughly = false) => {
    try {
      const response = await request('api/catalog', etag.current === undefined ? {} : { headers: { 'if-none-match': etag.current } });
      const data: PageData | undefined = response.status === 304 ? undefined : await response.json();
      if (data !== undefined) etag.current = response.headers.get('etag') ?? undefined;
      setState((before) => renewed(before, data, thoroughly));
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem('gone', String(error));
      // What is on the screen stays there; what may no longer be seen is taken away below.
      if (problem.kind !== 'signed-out')
        setState((before) => (before.status === 'ready' ? { ...before, problem } : { status: 'failed', problem }));
    }
  }, []);
  useEffect(
    () =>
      onSignedOut((problem) => {
        etag.current = undefined;
        setState({ status: 'failed', problem });
      }),
    [],
  );
  useEffect(() => {
    const seen = () => void refresh();
    seen();
    addEventListener('focus', seen);
    const timer = setInterval(() => {
      // Who is not signed in, or does not look, needs nothing new.
      if (document.visibilityState === 'visible' && etag.current !== undefined) seen();
    }, LOOK_AGAIN_MS);
    return () => {
      removeEventListener('focus', seen);
      clearInterval(timer);
    };
  }, [refresh]);
  return { state, refresh };
}

/** The state after a good answer; without data nothing is different. */
function renewed(before: CatalogState, data: PageData | undefined, thoroughly: boolean): CatalogState {
  const version = before.status === 'ready' ? before.version : 0;
  if (data !== undefined) return { status: 'ready', data, version: version + 1, problem: undefined };
  if (before.status !== 'ready' || (before.problem === undefined && !thoroughly)) return before;
  return { ...before, version: thoroughly ? version + 1 : version, problem: undefined };
}

/** The files of a skill. */
export async function loadFiles(uri: string): Promise<PageFiles> {
  const response = await request(`api/skill?uri=${encodeURIComponent(uri)}`);
  return response.json();
}
