/** Loads the catalog and keeps it up to date. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { PageData, PageFiles, PageSearch } from '../src/serve/http/page/shapes.js';
import { onSignedOut, Problem, request } from './request.js';

export type CatalogState =
  | { readonly status: 'loading' }
  | {
      readonly status: 'ready';
      readonly data: PageData;
      /** Content is read again when it changes. */
      readonly version: number;
      readonly problem: Problem | undefined;
    }
  | { readonly status: 'failed'; readonly problem: Problem };

/** Reloads the catalog; `force` reads content again even if the catalog is unchanged. */
export type RefreshCatalog = (force?: boolean) => Promise<void>;

/** While the page is visible. */
const POLL_MS = 15_000;

/** Loads at once, then polls, and on focus. An unchanged catalog costs a 304. */
export function useCatalog(): { readonly state: CatalogState; readonly refresh: RefreshCatalog } {
  const [state, setState] = useState<CatalogState>({ status: 'loading' });
  const etag = useRef<string | undefined>(undefined);
  const refresh = useCallback(async (force = false) => {
    try {
      const response = await request('api/catalog', etag.current === undefined ? {} : { headers: { 'if-none-match': etag.current } });
      const data: PageData | undefined = response.status === 304 ? undefined : await response.json();
      if (data !== undefined) etag.current = response.headers.get('etag') ?? undefined;
      setState((before) => renewed(before, data, force));
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem('gone', String(error));
      // Keeps what is shown; a 401 clears it below.
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
    const load = () => void refresh();
    load();
    addEventListener('focus', load);
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && etag.current !== undefined) load();
    }, POLL_MS);
    return () => {
      removeEventListener('focus', load);
      clearInterval(timer);
    };
  }, [refresh]);
  return { state, refresh };
}

/** The state after a successful response; without data the catalog is unchanged. */
function renewed(before: CatalogState, data: PageData | undefined, force: boolean): CatalogState {
  const version = before.status === 'ready' ? before.version : 0;
  if (data !== undefined) return { status: 'ready', data, version: version + 1, problem: undefined };
  if (before.status !== 'ready' || (before.problem === undefined && !force)) return before;
  return { ...before, version: force ? version + 1 : version, problem: undefined };
}

/** After the last key. */
const TYPING_MS = 150;

/** What the server finds for these words, by URI, best first; empty until it has answered. */
export function useSearch(words: string): readonly string[] {
  const [found, setFound] = useState<{ readonly words: string; readonly uris: readonly string[] }>({ words: '', uris: [] });
  useEffect(() => {
    if (words.trim() === '') return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      try {
        const response = await request(`api/search?words=${encodeURIComponent(words)}`);
        const { uris }: PageSearch = await response.json();
        if (isCurrent) setFound({ words, uris });
      } catch {
        // What the page finds by itself is shown.
      }
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [words]);
  return found.words === words ? found.uris : NOTHING;
}

const NOTHING: readonly string[] = [];

export async function loadFiles(uri: string): Promise<PageFiles> {
  const response = await request(`api/skill?uri=${encodeURIComponent(uri)}`);
  return response.json();
}
