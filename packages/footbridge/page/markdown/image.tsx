/** An image of a skill, read through MCP. */
import { useEffect, useState } from 'preact/hooks';
import { readResource } from '../mcp.js';
import { hashOfItem } from '../route.js';
import { fileUri } from './links.js';

/** Raster images only: SVG can contain scripts. */
export const RASTER = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/i;

export function dataUrl(mimeType: string, blob: string): string {
  return `data:${mimeType};base64,${blob}`;
}

export function SkillImage({ uri, path, alt }: { readonly uri: string; readonly path: string; readonly alt: string }) {
  const [source, setSource] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    setSource(undefined);
    readResource(fileUri(uri, path), ended.signal).then(
      ([content]) => {
        if (content?.blob !== undefined && RASTER.test(content.mimeType ?? '')) setSource(dataUrl(content.mimeType ?? '', content.blob));
      },
      () => {
        // The link to the file stays; opening it shows the error.
      },
    );
    return () => ended.abort();
  }, [uri, path]);
  if (source !== undefined) return <img src={source} alt={alt} />;
  return <a href={hashOfItem(uri, 'content', path)}>Image: {alt === '' ? path : alt}</a>;
}
