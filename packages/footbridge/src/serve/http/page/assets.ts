/** What the page is served as: its built files, and responses with an ETag, compression and security headers. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Images of skills are read through MCP.
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-write=(self)',
};

/** A response body with its ETag, compressed once. */
export class StaticBody {
  readonly etag: string;
  #gzipped: Uint8Array<ArrayBuffer> | undefined;

  constructor(
    readonly text: string,
    readonly type: string,
    readonly cacheControl: 'no-cache' | 'no-store',
  ) {
    this.etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  }

  respond(context: Context): Response {
    const headers = { 'Cache-Control': this.cacheControl, ETag: this.etag, Vary: 'Accept-Encoding, Authorization' };
    if (context.req.header('if-none-match') === this.etag) return context.body(null, 304, headers);
    const typed = { ...headers, 'Content-Type': this.type };
    if (context.req.header('accept-encoding')?.includes('gzip') !== true) return context.body(this.text, 200, typed);
    this.#gzipped ??= new Uint8Array(gzipSync(this.text));
    return context.body(this.#gzipped, 200, { ...typed, 'Content-Encoding': 'gzip' });
  }
}

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
} as const;

export type AssetName = keyof typeof TYPES;

const cache = new Map<AssetName, StaticBody>();

/** Undefined when the page is not built. */
export function asset(name: AssetName): StaticBody | undefined {
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const file = join(folder, name);
  if (!existsSync(file)) return undefined;
  const made = new StaticBody(readFileSync(file, 'utf8'), TYPES[name], 'no-cache');
  cache.set(name, made);
  return made;
}

/** `page` next to the bundled program; for an unbundled module, in the bundle of its package. */
const folder = locate(dirname(fileURLToPath(import.meta.url)));

function locate(start: string): string {
  const beside = join(start, 'page');
  if (existsSync(join(beside, 'index.html'))) return beside;
  for (let at = start; dirname(at) !== at; at = dirname(at)) if (existsSync(join(at, 'package.json'))) return join(at, 'bundle', 'page');
  return beside;
}
