/** The sources in a lock, validated without a schema library, which a start must not load. */
import { type Fields, isFields } from '../../json.js';
import type { Signer } from './evidence.js';
import type { Pin } from './kind.js';
import { checkPath } from './paths.js';
import { FolderClaims } from './placing.js';
import { claimPath, type StoredFile, type TreeSkill, treeDigestSteps } from './tree.js';

/** The recorded state of a source. */
export interface LockedSource {
  /** As in `footbridge.json`. */
  readonly source: string;
  readonly kind: string;
  /** For people. */
  readonly version: string;
  readonly resolved: Pin;
  /** The name that its publisher promised never to change: a tag, a version. */
  readonly promised?: string;
  readonly signer?: Signer;
  /** The digest of all files, which names the tree in the store. */
  readonly content: string;
  readonly skills: readonly TreeSkill[];
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** In steps, since a lock may have any number of files. Throws an `Error` whose message is the place and the problem. */
export function* sourcesSteps(value: unknown): Generator<void, readonly LockedSource[]> {
  if (value === undefined) return [];
  const sources = new Map<string, LockedSource>();
  for (const [index, entry] of listAt(value, 'sources').entries()) {
    const place = `sources[${index}]`;
    const source = yield* sourceOf(fieldsAt(entry, place), place);
    if (sources.has(source.source)) throw new Error(`${place}.source: listed twice`);
    sources.set(source.source, source);
  }
  return [...sources.values()];
}

function* sourceOf(fields: Fields, place: string): Generator<void, LockedSource> {
  const { content, kind, promised, resolved, signer, skills, source, version } = fields;
  const named: TreeSkill[] = [];
  const locked = {
    source: textAt(source, `${place}.source`),
    kind: textAt(kind, `${place}.kind`),
    version: textAt(version, `${place}.version`),
    resolved: textsAt(resolved, `${place}.resolved`),
    ...(promised === undefined ? {} : { promised: textAt(promised, `${place}.promised`) }),
    ...(signer === undefined ? {} : { signer: signerOf(fieldsAt(signer, `${place}.signer`), `${place}.signer`) }),
    content: digestAt(content, `${place}.content`),
    skills: named,
  };
  for (const [at, skill] of listAt(skills, `${place}.skills`).entries())
    named.push(yield* skillOf(fieldsAt(skill, `${place}.skills[${at}]`), `${place}.skills[${at}]`));
  const folders = new FolderClaims();
  for (const [at, { folder }] of locked.skills.entries())
    if (!folders.claim(folder)) throw new Error(`${place}.skills[${at}].folder: it is that of another skill`);
  if ((yield* treeDigestSteps(locked.skills)) !== locked.content) throw new Error(`${place}.content: it does not match the files`);
  return locked;
}

function signerOf({ identity, issuer, method }: Fields, place: string): Signer {
  return {
    method: textAt(method, `${place}.method`),
    identity: textAt(identity, `${place}.identity`),
    ...(issuer === undefined ? {} : { issuer: textAt(issuer, `${place}.issuer`) }),
  };
}

/** Files between two steps. */
const TOGETHER = 64;

function* skillOf({ description, files, folder, name }: Fields, place: string): Generator<void, TreeSkill> {
  const keys = new Map<string, string>();
  const own: StoredFile[] = [];
  const skill = {
    folder: pathAt(folder, `${place}.folder`),
    name: textAt(name, `${place}.name`),
    description: textAt(description, `${place}.description`),
    files: own,
  };
  for (const [at, file] of listAt(files, `${place}.files`).entries()) {
    if (at % TOGETHER === 0) yield;
    own.push(fileOf(fieldsAt(file, `${place}.files[${at}]`), `${place}.files[${at}]`, keys));
  }
  return skill;
}

function fileOf({ digest, executable, path, size }: Fields, place: string, keys: Map<string, string>): StoredFile {
  if (!Number.isSafeInteger(size) || typeof size !== 'number' || size < 0) throw new Error(`${place}.size: not a size`);
  const own = pathAt(path, `${place}.path`);
  if (!isFree(own, keys)) throw new Error(`${place}.path: it is that of another file`);
  return {
    path: own,
    digest: digestAt(digest, `${place}.digest`),
    size,
    ...(executable === true ? { executable } : {}),
  };
}

function isFree(path: string, keys: Map<string, string>): boolean {
  try {
    claimPath(path, path, keys);
    return true;
  } catch {
    return false;
  }
}

function pathAt(value: unknown, place: string): string {
  const path = textAt(value, place);
  try {
    checkPath(path);
  } catch (cause) {
    throw new Error(`${place}: ${cause instanceof Error ? cause.message : 'not a path'}`);
  }
  return path;
}

function digestAt(value: unknown, place: string): string {
  const text = textAt(value, place);
  if (!DIGEST.test(text)) throw new Error(`${place}: not a digest`);
  return text;
}

function textAt(value: unknown, place: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${place}: not a text`);
  return value;
}

function textsAt(value: unknown, place: string): Pin {
  const fields = fieldsAt(value, place);
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, textAt(text, `${place}.${name.slice(0, 100)}`)]));
}

function listAt(value: unknown, place: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place}: not a list`);
  return value;
}

function fieldsAt(value: unknown, place: string): Fields {
  if (!isFields(value)) throw new Error(`${place}: not an object`);
  return value;
}
