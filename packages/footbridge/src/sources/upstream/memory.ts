/** Caches the lists of a server, so that hosts see them while it starts. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFields } from '../../json.js';
import { keepFile } from '../../kept-file.js';
import { VERSION } from '../../version.js';
import type { UpstreamListing } from './listing.js';
import type { UpstreamServer } from './options.js';

/** Increase when the stored format changes. */
const FORMAT = 5;
const PREFIX = 'server-';
/** Reading a larger file would take too long. */
const LARGEST = 32 * 1024 * 1024;
/** Older lists are read again, even without calls. */
const FRESH_MS = 24 * 3600_000;

export type Remembered = Omit<UpstreamListing, 'notices'>;

export interface Memory {
  /** `variant`: what else the lists may depend on. `isFresh`: whether they are of today, and of the same program. */
  load(variant: string): { readonly listing: Remembered; readonly isFresh: boolean } | undefined;
  /** Also confirms unchanged lists. `isComplete`: whether every list has been read. */
  save(variant: string, listing: Remembered, isComplete: boolean): void;
}

/** One file per configuration of a server and version of Footbridge. */
export function memoryOf(folder: string, server: UpstreamServer, oneHost: boolean): Memory | undefined {
  // A server in this process needs no cache, and what an untrusted one listed before is not shown.
  if ('server' in server || 'held' in server) return undefined;
  const key = listsKeyOf(server, oneHost);
  const nameOf = (variant: string) => `${digestOf(`${key} ${variant}`).slice(0, 32)}.json`;
  const fileOf = (variant: string) => join(folder, `${PREFIX}${nameOf(variant)}`);
  let last = '';
  let isFresh = false;
  return {
    load(variant) {
      try {
        const file = fileOf(variant);
        const { mtimeMs, size } = statSync(file);
        if (size > 4 * LARGEST) return undefined;
        last = intact(readFileSync(file, 'utf8'));
        const stored: unknown = JSON.parse(last);
        if (!isFields(stored) || stored['key'] !== key || stored['variant'] !== variant || !isRemembered(stored['listing']))
          return undefined;
        isFresh = Date.now() - mtimeMs < FRESH_MS && stored['program'] === programOf(server);
        return { listing: stored['listing'], isFresh };
      } catch {
        return undefined;
      }
    },
    save(variant, listing) {
      const text = JSON.stringify({ key, variant, program: programOf(server), listing });
      if (text.length > LARGEST) return;
      if (text === last) {
        if (!isFresh) confirm(fileOf(variant));
        isFresh = true;
        return;
      }
      last = text;
      isFresh = true;
      keepFile(folder, PREFIX, nameOf(variant), `${digestOf(text)}\n${text}`);
    },
  };
}

/** What lists depend on: the settings that start the server or connect to it. Their values may be secrets, so this is a digest. */
export function listsKeyOf(server: UpstreamServer, oneHost: boolean, ...more: readonly string[]): string {
  const start =
    'command' in server
      ? [server.command, server.args, server.env, server.cwd ?? process.cwd()]
      : 'url' in server
        ? [server.url, server.headers]
        : [];
  return digestOf(JSON.stringify([FORMAT, VERSION, oneHost, start, ...more]));
}

/** Size and time of the program that the command names: a server that was edited may list something else. */
export function programOf(server: UpstreamServer): string {
  if (!('command' in server)) return '';
  const { args = [], command, cwd = '' } = server;
  const words = [...(/[/\\]/.test(command) ? [command] : []), ...args.slice(0, MOST_WORDS).filter((word) => SCRIPT.test(word))];
  return words
    .map((word) => {
      const found = statSync(resolve(cwd, word), { throwIfNoEntry: false });
      return found?.isFile() === true ? `${found.size} ${found.mtimeMs}` : '';
    })
    .join();
}

/** Other files may be the server's data, which change whenever it runs. */
const SCRIPT = /^[^\0]{1,1000}\.(?:[cm]?[jt]s|py|rb|sh|pl|php|lua|jar|wasm)$/;
const MOST_WORDS = 8;

function confirm(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // it is confirmed next time
  }
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
