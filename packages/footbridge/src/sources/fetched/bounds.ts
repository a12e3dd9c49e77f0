/** Limits for fetching one source. */

const MIB = 1024 * 1024;

export const FETCH_BOUNDS = {
  /** Bytes of an archive, a package or an index, as they are downloaded. */
  download: 64 * MIB,
  /** Bytes that a git repository may take on disk. */
  repository: 512 * MIB,
  /** Bytes of one file. */
  file: 16 * MIB,
  /** Bytes of all files. */
  total: 256 * MIB,
  /** Entries of an archive or a repository, folders and links included. */
  entries: 100_000,
  /** Files that are unpacked. */
  files: 50_000,
  /** An archive may expand to this many times its size, and a little more, but not beyond `unpacked`: text expands to 20 times. */
  expansion: 30,
  expansionFree: 4 * MIB,
  unpacked: 128 * MIB,
  /** An archive may have one entry for this many of its bytes, and a few more, but not beyond `archived`. */
  entryBytes: 32,
  entriesFree: 1000,
  archived: 10_000,
  /** Characters of a path. */
  path: 512,
  /** Folders in a path. */
  depth: 24,
  /** Milliseconds for one request, and for one git command. */
  requestMs: 60_000,
  gitMs: 300_000,
} as const;
