/** Servers of others, and the way to start one with our tools in it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const entryOf = (manifest: string) => join(dirname(manifest), 'dist', 'index.js');

export const EVERYTHING = entryOf(require.resolve('@modelcontextprotocol/server-everything/package.json'));
export const MEMORY = entryOf(require.resolve('@modelcontextprotocol/server-memory/package.json'));
export const FILESYSTEM = entryOf(require.resolve('@modelcontextprotocol/server-filesystem/package.json'));

/** A script that is given options of footbridge() as JSON, an entry, and its arguments. */
export const WITH_FOOTBRIDGE = join(import.meta.dirname, '..', 'fixtures', 'with-footbridge.mjs');
