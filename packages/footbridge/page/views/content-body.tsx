/** One content: rendered if markdown, indented if JSON, else unchanged. */
import { dataUrl, RASTER } from '../markdown/image.js';
import { Markdown } from '../markdown/markdown.js';
import type { RenderContext } from '../markdown/render.js';
import type { Content } from '../mcp.js';
import { Scrolling } from '../parts/code.js';
import { sizeOf } from '../parts/size.js';

export function isMarkdown({ mimeType, text }: Content): boolean {
  return text !== undefined && /^text\/(?:x-)?markdown\b/i.test(mimeType ?? '');
}

export interface ContentBodyProps {
  readonly content: Content;
  readonly source: boolean;
  readonly around: RenderContext;
}

export function ContentBody({ content, source, around }: ContentBodyProps) {
  const { uri, mimeType = '', text, blob } = content;
  if (text !== undefined && isMarkdown(content) && !source) return <Markdown text={text} around={around} />;
  if (text !== undefined) return <Scrolling>{source ? text : indented(text, mimeType)}</Scrolling>;
  if (blob === undefined) return <p class="note">Empty content.</p>;
  const bytes = Math.floor((blob.length * 3) / 4);
  if (RASTER.test(mimeType)) return <img class="picture" src={dataUrl(mimeType, blob)} alt={uri} />;
  return (
    <p class="note">
      {mimeType === '' ? 'Binary content' : mimeType}, {sizeOf(bytes)}. Hosts receive it unchanged; this page does not show it.
    </p>
  );
}

/** Indents single-line JSON, unless parsing would change its numbers. */
function indented(text: string, mimeType: string): string {
  if (!/\bjson\b/i.test(mimeType) || text.includes('\n') || text.length > 200_000 || /\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
