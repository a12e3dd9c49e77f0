/** The content of a skill file or a resource, as `resources/read` returns it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Item } from '../items.js';
import { fileUri, type LinkBase } from '../markdown/links.js';
import { type Content, readResource } from '../mcp.js';
import { useLoaded } from '../parts/loaded.js';
import { Loading, ProblemNote } from '../parts/notices.js';
import { hashOfItem } from '../route.js';
import { ContentBody, isMarkdown } from './content-body.js';

export interface ContentTabProps {
  readonly version: number;
  readonly item: Item;
  readonly file: string | undefined;
  readonly isKnown: (uri: string) => boolean;
}

export function ContentTab({ version, item, file, isKnown }: ContentTabProps) {
  const path = file ?? 'SKILL.md';
  const place: LinkBase | undefined = item.kind === 'skill' ? { uri: item.uri, path } : undefined;
  const uri = item.kind === 'skill' && file !== undefined ? fileUri(item.uri, file) : item.uri;
  const loaded = useLoaded(uri, version, readResource);
  const [source, setSource] = useState(false);
  useScrollToTop(uri);
  const rendered = loaded.status === 'ready' && loaded.value.some(isMarkdown);
  return (
    <>
      <div class="bar">
        {item.kind === 'skill' && <Crumbs uri={item.uri} file={file} />}
        {rendered && (
          <fieldset class="toggle">
            <legend class="hidden">Show as</legend>
            <button type="button" aria-pressed={!source} onClick={() => setSource(false)}>
              Rendered
            </button>
            <button type="button" aria-pressed={source} onClick={() => setSource(true)}>
              Source
            </button>
          </fieldset>
        )}
      </div>
      {loaded.status === 'loading' && <Loading what="the content" />}
      {loaded.status === 'failed' && <ProblemNote problem={loaded.problem} />}
      {loaded.status === 'ready' && loaded.value.length === 0 && <p class="note">No content.</p>}
      {loaded.status === 'ready' &&
        loaded.value.map((content: Content, at) => (
          <ContentBody key={`${at} ${content.uri}`} content={content} source={source} around={{ place, isKnown }} />
        ))}
    </>
  );
}

function Crumbs({ uri, file }: { readonly uri: string; readonly file: string | undefined }) {
  return (
    <p class="crumbs">
      {file === undefined ? (
        <code>SKILL.md</code>
      ) : (
        <>
          <a href={hashOfItem(uri)}>SKILL.md</a>
          <span aria-hidden="true"> / </span>
          <code>{file}</code>
        </>
      )}
    </p>
  );
}

/** Scrolls to the top when another file is shown. */
function useScrollToTop(uri: string): void {
  const shown = useRef(uri);
  useEffect(() => {
    if (shown.current === uri) return;
    shown.current = uri;
    const panel = document.getElementById('panel');
    panel?.focus({ preventScroll: true });
    panel?.scrollIntoView({ block: 'start' });
  }, [uri]);
}
