/** Footbridge itself: its version, the Node that runs it, the protocol it speaks, and where it keeps what it can make again. */
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
  /** Revisions that hosts may speak, the newest first. */
  readonly protocols: readonly string[];
  /** Undefined where nothing is kept. */
  readonly cache: string | undefined;
}

/** What runs, and whether it can keep what makes its starts fast. */
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
  return finding('warning', 'cache-folder', folder, 'The cache folder cannot be written to, so each start is slower than it could be.');
}

/** Whether it is, or could be made. Nothing is written to find out. */
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
