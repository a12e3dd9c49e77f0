/** The pages of a hostile web server, as bytes. Their texts may name its address, and the digest or the size of another page. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { tar, zip } from '../packages/footbridge/tests/fetched/archive-writers.js';
import type { Packed, Page, Site } from './case.js';
import { textOf } from './value.js';

/** Pages in pages: a manifest has the digest of a layer, which has an address. */
const DEEPEST = 4;

export class SitePages {
  readonly #site: Site;
  readonly #origin: string;
  /** Requests that it got. */
  count = 0;

  constructor(site: Site, origin: string) {
    this.#site = site;
    this.#origin = origin;
  }

  /** Answers with the page of the path; false if there is none. */
  answer(request: IncomingMessage, response: ServerResponse): boolean {
    this.count++;
    const path = (request.url ?? '').replace(/\?.*$/s, '');
    const page =
      this.#site[path] ?? Object.entries(this.#site).find(([name]) => name.includes('{') && this.#written(name, 0) === path)?.[1];
    if (page === undefined) return false;
    const headers = page.headers.map(([name, value]): [string, string] => [name, headerText(this.#written(textOf(value), 0))]);
    try {
      response.writeHead(page.status, headers.flat());
    } catch {
      // Not what Node sends.
      response.writeHead(500);
    }
    response.end(this.#bytesOf(page, 0));
    return true;
  }

  #bytesOf({ body }: Page, depth: number): Buffer {
    if (!isPacked(body)) return Buffer.from(this.#written(textOf(body), depth));
    const entries = body.files.map(({ path, text }) => ({ name: textOf(path), content: textOf(text) }));
    const bytes = body.$pack === 'zip' ? zip(entries) : gzipSync(tar(...entries));
    return bytes.subarray(0, body.cut ?? bytes.length);
  }

  #written(text: string, depth: number): string {
    if (!text.includes('{')) return text;
    return text
      .replaceAll('{site}', this.#origin)
      .replaceAll(/\{(sha256|sha512|size):([^{}]{1,80})\}/g, (all, kind: string, path: string) => {
        const page = this.#site[path];
        if (page === undefined || depth >= DEEPEST) return all;
        const bytes = this.#bytesOf(page, depth + 1);
        if (kind === 'size') return String(bytes.length);
        return createHash(kind)
          .update(bytes)
          .digest(kind === 'sha256' ? 'hex' : 'base64');
      });
  }
}

function isPacked(body: Page['body']): body is Packed {
  return typeof body === 'object' && body !== null && '$pack' in body;
}

/** As one header: line breaks and what HTTP cannot send are left out. */
export function headerText(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
}
