/** The kind `git`: repositories, by `github:owner/repo[/path][@ref]` or by a URL. Uses the system's git. */
import { join } from 'node:path';
import { SKILL_FILE } from '../../source.js';
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import type { FetchedContent, FetchRequest, FetchSurroundings, Resolved, SourceKind } from '../kind.js';
import { isPluginFile } from '../plugins/manifest.js';
import { createRepository, type GitSurroundings, runGit, UnadvertisedObject } from './command.js';
import { connected } from './connection.js';
import { type FetchedHead, fetchedHead } from './heads.js';
import { isFileEntry, listTree, stageBlobs, type TreeEntry } from './objects.js';
import { type GitPlace, gitPlace } from './place.js';
import { unknownFolder, unknownRef } from './unknown-names.js';

const TAG = 'refs/tags/';
const BRANCH = 'refs/heads/';
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export const gitKind: SourceKind = {
  name: 'git',
  form: 'github:owner/repo[/path][@ref], or the URL of a git repository with [#ref[:path]]',
  parse(specification) {
    const place = gitPlace(specification);
    if (place === undefined) return undefined;
    return {
      specification,
      title: place.title,
      resolve: (surroundings) => resolve(place, surroundings),
      fetch: (request) => fetch(place, request),
    };
  },
};

type GitRequest = FetchSurroundings & Pick<FetchRequest, 'temporary'>;

function localGit({ env, signal, temporary }: GitRequest): GitSurroundings {
  return { env, signal, repository: join(temporary, 'repository.git') };
}

/** Requests only the names. */
async function resolve(place: GitPlace, request: GitRequest): Promise<Resolved> {
  if (place.ref !== undefined && OBJECT_ID.test(place.ref)) return resolved(place, place.ref, '');
  const git = await connected(place.url, localGit(request), request.isPublicOnly);
  const names = await remoteNames(place, git);
  const ref = place.ref === undefined ? 'HEAD' : fullName(place.ref, names);
  const id = ref === undefined ? undefined : (names.get(`${ref}^{}`) ?? names.get(ref));
  if (ref === undefined || id === undefined) throw await unknownRef(place, git);
  return resolved(place, id, ref);
}

async function remoteNames({ ref, url }: GitPlace, git: GitSurroundings): Promise<ReadonlyMap<string, string>> {
  const patterns = ref === undefined ? ['HEAD'] : [ref, `${ref}^{}`];
  const output = await runGit(['ls-remote', '--quiet', '--', url, ...patterns], git);
  return new Map(
    output
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [id = '', name = ''] = line.split('\t');
        return OBJECT_ID.test(id) ? [[name, id] as const] : [];
      }),
  );
}

/** A name may be a tag or a branch, or the full name of either. */
function fullName(ref: string, names: ReadonlyMap<string, string>): string | undefined {
  return [`${TAG}${ref}`, `${BRANCH}${ref}`, ...(ref.startsWith('refs/') ? [ref] : [])].find((name) => names.has(name));
}

function resolved({ ref, url }: GitPlace, commit: string, full: string): Resolved {
  const short = commit.slice(0, 10);
  const named = ref === undefined || OBJECT_ID.test(ref) ? short : `${ref} (${short})`;
  const pin = { url, commit, ...(full.startsWith('refs/') ? { ref: full } : {}) };
  return { pin, version: named, ...(full.startsWith(TAG) ? { promised: full } : {}) };
}

async function fetch(place: GitPlace, request: FetchRequest): Promise<FetchedContent> {
  const local = localGit(request);
  createRepository(local.repository);
  const git = await connected(place.url, local, request.isPublicOnly);
  const commit = request.pin?.['commit'];
  if (commit !== undefined && !OBJECT_ID.test(commit)) throw new FetchError('The lock has an invalid commit.', 'Restore footbridge.lock.');
  const full = commit === undefined ? await wantedName(place, git) : request.pin?.['ref'];
  const { entries, head } = commit === undefined ? await newest(place, full, git) : await exactly(place, commit, full, git);
  if (place.path !== '' && entries.length === 0) throw await unknownFolder(place, head.commit, local);
  const files = skillEntries(entries, request);
  if (place.path !== '') await fetchBlobs(files, place, git);
  await stageBlobs(files, place.path, request.staging, local);
  const wantedTag = full?.startsWith(TAG) === true ? full.slice(TAG.length) : undefined;
  return {
    ...resolved(place, head.commit, full ?? ''),
    evidence: { kind: 'git', repository: git.repository, ...head, wantedTag },
  };
}

/** With `refs/`; undefined for the default branch, and for a commit. */
async function wantedName(place: GitPlace, git: GitSurroundings): Promise<string | undefined> {
  if (place.ref === undefined || OBJECT_ID.test(place.ref)) return undefined;
  const full = fullName(place.ref, await remoteNames(place, git));
  if (full === undefined) throw await unknownRef(place, git);
  return full;
}

/** A commit that was fetched, and the files in it. */
interface FetchedTree {
  readonly head: FetchedHead;
  readonly entries: readonly TreeEntry[];
}

/** Reads both at the same time. */
async function fetchedTree({ path }: GitPlace, git: GitSurroundings, start = 'FETCH_HEAD'): Promise<FetchedTree> {
  const listing = listTree(start, path, { ...git, protocols: [] });
  // A name that leads to no commit has no files either, and its own error.
  listing.catch(() => {});
  const head = await fetchedHead(git, start);
  return { head, entries: await listing };
}

async function newest(place: GitPlace, full: string | undefined, git: GitSurroundings): Promise<FetchedTree> {
  if (full === undefined && place.ref !== undefined) return fetchCommit(place, place.ref, git);
  await fetchInto(git, place, full ?? 'HEAD');
  return fetchedTree(place, git);
}

/** Fetches the tag as well if it still points to the commit: it may be signed. */
async function exactly(place: GitPlace, commit: string, full: string | undefined, git: GitSurroundings): Promise<FetchedTree> {
  if (full?.startsWith(TAG) === true) {
    const tagged = await fetchInto(git, place, full).then(
      () => fetchedTree(place, git),
      () => undefined,
    );
    if (tagged?.head.commit === commit) return tagged;
  }
  const found = await fetchCommit(place, commit, git).catch((cause: unknown) => {
    throw notAvailable(place, commit, cause);
  });
  if (found.head.commit !== commit) throw notAvailable(place, commit);
  return found;
}

/** Older servers send only what a branch or tag points to, so the commit is searched for in their history. */
async function fetchCommit(place: GitPlace, commit: string, git: GitSurroundings): Promise<FetchedTree> {
  try {
    await fetchInto(git, place, commit);
    return await fetchedTree(place, git);
  } catch (cause) {
    if (!(cause instanceof UnadvertisedObject)) throw cause;
    const all = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
    await runGit([...FETCH, '--no-write-fetch-head', filterFor(place), '--', place.url, ...all], git);
    return fetchedTree(place, git, commit);
  }
}

function fetchInto(git: GitSurroundings, place: GitPlace, name: string): Promise<unknown> {
  return runGit([...FETCH, '--depth=1', '--no-tags', filterFor(place), '--', place.url, name], git);
}

const FETCH = ['fetch', '--quiet', '--no-recurse-submodules'];

/** With a folder, files are fetched once the required ones are known. */
function filterFor({ path }: GitPlace): string {
  return `--filter=${path === '' ? `blob:limit=${FETCH_BOUNDS.file + 1}` : 'blob:none'}`;
}

/** The files of skills, those beside a skill at the top that is the whole repository, and those that describe plugins. */
function skillEntries(entries: readonly TreeEntry[], { staging }: FetchRequest): readonly TreeEntry[] {
  const folders = new Set(
    entries.flatMap(({ path }) => (path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`) ? [path.slice(0, -SKILL_FILE.length)] : [])),
  );
  const isInSkill = (path: string) => {
    // No skill lies deeper than a path may be long.
    for (let end = path.lastIndexOf('/', FETCH_BOUNDS.path); ; end = path.lastIndexOf('/', end - 1)) {
      if (folders.has(path.slice(0, end + 1))) return true;
      if (end <= 0) return folders.has('');
    }
  };
  return entries.filter((entry) => {
    staging.count();
    if (!isInSkill(entry.path)) return isFileEntry(entry) && isPluginFile(entry.path);
    if (!isFileEntry(entry)) staging.skip(entry.path);
    return isFileEntry(entry);
  });
}

/** In one request, since git would otherwise fetch each when it is read. */
async function fetchBlobs(entries: readonly TreeEntry[], { url }: GitPlace, git: GitSurroundings): Promise<void> {
  const ids = [...new Set(entries.map(({ id }) => id))];
  if (ids.length === 0) return;
  const args = [...FETCH, '--no-tags', '--no-write-fetch-head', '--filter=blob:none', '--stdin', '--', url];
  await runGit(['-c', 'fetch.negotiationAlgorithm=noop', ...args], git, `${ids.join('\n')}\n`);
}

function notAvailable({ url }: GitPlace, commit: string, cause?: unknown): FetchError {
  const reason = cause instanceof FetchError ? ` ${cause.message}` : '';
  return new FetchError(
    `Commit ${commit.slice(0, 10)} of ${url} cannot be fetched.${reason}`,
    'If it was removed, choose another version with: footbridge update',
  );
}
