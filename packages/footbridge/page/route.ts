/** The current view, in the fragment of the URL so that links can be shared. */
import { useEffect, useState } from 'preact/hooks';

export type Tab = 'content' | 'files' | 'audience' | 'hosts';

export type PageRoute =
  | { readonly view: 'catalog' }
  | { readonly view: 'item'; readonly uri: string; readonly tab: Tab; readonly file: string | undefined }
  | { readonly view: 'try'; readonly uri: string | undefined }
  | { readonly view: 'setup' }
  | { readonly view: 'insight' };

const TABS: readonly string[] = ['content', 'files', 'audience', 'hosts'] satisfies Tab[];

export function parseRoute(hash: string): PageRoute {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const fields = new URLSearchParams(query);
  const uri = fields.get('uri') ?? undefined;
  if (path === 'setup') return { view: 'setup' };
  if (path === 'insight') return { view: 'insight' };
  if (path === 'try') return { view: 'try', uri };
  if (path !== 'open' || uri === undefined) return { view: 'catalog' };
  const tab = fields.get('tab') ?? '';
  return { view: 'item', uri, tab: isTab(tab) ? tab : 'content', file: fields.get('file') ?? undefined };
}

function isTab(text: string): text is Tab {
  return TABS.includes(text);
}

export const CATALOG = '#/';
export const SETUP = '#/setup';
export const INSIGHT = '#/insight';

export function hashOfItem(uri: string, tab: Tab = 'content', file?: string): string {
  const parts = [
    `uri=${encode(uri)}`,
    ...(tab === 'content' ? [] : [`tab=${tab}`]),
    ...(file === undefined ? [] : [`file=${encode(file)}`]),
  ];
  return `#/open?${parts.join('&')}`;
}

export function hashOfTry(uri?: string): string {
  return uri === undefined ? '#/try' : `#/try?uri=${encode(uri)}`;
}

/** Keeps slashes and colons readable. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/').replaceAll('%3A', ':');
}

export function useRoute(): PageRoute {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    // It may have changed before the listener was added.
    changed();
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return parseRoute(hash);
}
