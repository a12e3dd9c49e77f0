/** Caches the lists of a server, so that hosts see them while it starts. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../../json.js';
import { keepFile } from '../../kept-file.js';
import { VERSION } from '../../version.js';
import type { UpstreamListing } from './listing.js';
import type { UpstreamServer } from './options.js';

/** Increase when the stored format changes. */
const FORMAT = 4;
const PREFIX = 'server-';
/** Reading a larger file would take too long. */
const LARGEST = 32 * 1024 * 1024;

export type Remembered = Omit<UpstreamListing, 'notices'>;

export interface Memory {
  /** `variant`: what else the lists may depend on. */
  load(variant: string): Remembered | undefined;
  save(variant: string, listing: Remembered): void;
}

/** One file per configuration of a server and version of Footbridge. */
export function memoryOf(folder: string, server: UpstreamServer, oneHost: boolean): Memory | undefined {
  // A server in this process needs no cache, and what an untrusted one listed before is not shown.
  if ('server' in server || 'held' in server) return undefined;
  const start = 'command' in server ? [server.command, server.args, server.env, server.cwd ?? process.cwd()] : [server.url, server.headers];
  // The values may be secrets: only their digest is stored.
  const key = digestOf(JSON.stringify([FORMAT, VERSION, oneHost, start]));
  const nameOf = (variant: string) => `${digestOf(`${key} ${variant}`).slice(0, 32)}.json`;
  let last = '';
  return {
    load(variant) {
      try {
        const file = join(folder, `${PREFIX}${nameOf(variant)}`);
        if (statSync(file).size > 4 * LARGEST) return undefined;
        last = intact(readFileSync(file, 'utf8'));
        const stored: unknown = JSON.parse(last);
        return isFields(stored) && stored['key'] === key && stored['variant'] === variant && isRemembered(stored['listing'])
          ? stored['listing']
          : undefined;
      } catch {
        return undefined;
      }
    },
    save(variant, listing) {
      const text = JSON.stringify({ key, variant, listing });
      if (text === last || text.length > LARGEST) return;
      last = text;
      keepFile(folder, PREFIX, nameOf(variant), `${digestOf(text)}\n${text}`);
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The text after the digest; empty where the digest does not match. */
function intact(stored: string): string {
  const end = stored.indexOf('\n');
  const text = stored.slice(end + 1);
  return digestOf(text) === stored.slice(0, end) ? text : '';
}

/** The digest matched, so the lists need no check. */
function isRemembered(listing: unknown): listing is Remembered {
  return isFields(listing) && isFields(listing['handshake']);
}
