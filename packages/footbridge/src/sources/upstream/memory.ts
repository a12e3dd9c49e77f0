/** What a server showed when it last ran, so that a host sees it at once while the server starts. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFields } from '../../json.js';
import { keepFile } from '../../kept-file.js';
import { VERSION } from '../../version.js';
import type { Listing } from './listing.js';
import type { UpstreamServer } from './options.js';

/** Raise it whenever what is stored changes. */
const FORMAT = 3;
const PREFIX = 'server-';
/** More than this is not worth the time that reading it takes. */
const LARGEST = 32 * 1024 * 1024;

export type Remembered = Omit<Listing, 'notices'>;

export interface Memory {
  /** `occasion`: what else the server may have gone by. */
  load(occasion: string): Remembered | undefined;
  save(occasion: string, listing: Remembered): void;
}

/** In a file of its own for each way to start a server: another command, argument, variable, header or version is another server. */
export function memoryOf(folder: string, server: UpstreamServer, oneHost: boolean): Memory | undefined {
  // A server in this process is there at once.
  if ('server' in server) return undefined;
  const start = 'command' in server ? [server.command, server.args, server.env, server.cwd ?? process.cwd()] : [server.url, server.headers];
  // The values are secrets: only their digest is kept.
  const key = digestOf(JSON.stringify([FORMAT, VERSION, oneHost, start]));
  const nameOf = (occasion: string) => `${digestOf(`${key} ${occasion}`).slice(0, 32)}.json`;
  let last = '';
  return {
    load(occasion) {
      try {
        const file = join(folder, `${PREFIX}${nameOf(occasion)}`);
        if (statSync(file).size > 4 * LARGEST) return undefined;
        last = intact(readFileSync(file, 'utf8'));
        const stored: unknown = JSON.parse(last);
        return isFields(stored) && stored['key'] === key && stored['occasion'] === occasion && isRemembered(stored['listing'])
          ? stored['listing']
          : undefined;
      } catch {
        return undefined;
      }
    },
    save(occasion, listing) {
      const text = JSON.stringify({ key, occasion, listing });
      if (text === last || text.length > LARGEST) return;
      last = text;
      keepFile(folder, PREFIX, nameOf(occasion), `${digestOf(text)}\n${text}`);
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What was stored, after its digest; nothing where it is not as we wrote it. */
function intact(stored: string): string {
  const end = stored.indexOf('\n');
  const text = stored.slice(end + 1);
  return digestOf(text) === stored.slice(0, end) ? text : '';
}

/** It is as we wrote it: the lists are what they are called. */
function isRemembered(listing: unknown): listing is Remembered {
  return isFields(listing) && isFields(listing['handshake']);
}
