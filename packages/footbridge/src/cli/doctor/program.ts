/** Footbridge itself: its version, Node, protocol versions and cache. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { MODERN } from '../../sources/upstream/eras.js';
import { VERSION } from '../../version.js';
import { cacheFolder } from '../cache-folder.js';
import type { Io } from '../io.js';
import { type Finding, finding, type Section } from './finding.js';

export interface ProgramReport {
  readonly version: string;
  readonly node: { readonly version: string; readonly path: string };
  readonly platform: string;
  /** Supported protocol versions, newest first. */
  readonly protocols: readonly string[];
  /** Undefined where caching is off. */
  readonly cache: string | undefined;
}

export function checkProgram(io: Io): Section<ProgramReport> {
  const cache = cacheFolder(io);
  return {
    data: {
      version: VERSION,
      node: { version: process.versions.node, path: process.execPath },
      platform: `${process.platform} ${process.arch}`,
      protocols: [MODERN, ...SUPPORTED_PROTOCOL_VERSIONS],
      cache,
    },
    findings: cache === undefined || isWritable(cache) ? [] : [unwritable(cache)],
  };
}

function unwritable(folder: string): Finding {
  return finding('warning', 'cache-folder', folder, 'The cache folder is not writable, which slows down each start.');
}

/** Whether it is, or could be created. Writes nothing. */
function isWritable(folder: string): boolean {
  const above = dirname(folder);
  if (!existsSync(folder) && above !== folder) return isWritable(above);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
