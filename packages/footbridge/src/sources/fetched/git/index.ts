/** The kind `git`: repositories, by `github:owner/repo[/path][@ref]` or by a URL. Uses the system's git. */
import { join } from 'node:path';
import { SKILL_FILE } from '../../source.js';
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import type { FetchedContent, FetchRequest, FetchSurroundings, Resolved, SourceKind } from '../kind.js';
import { isPluginFile } from '../plugins/manifest.js';
import { type GitSurroundings, runGit } from './command.js';
import { isFileEntry, listTree, stageBlobs, type TreeEntry } from './objects.js';
import { type GitPlace, gitPlace } from './place.js';

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

function surroundingsOf(
  { protocol }: GitPlace,
  { env, signal, temporary }: FetchSurroundings & Pick<FetchRequest, 'temporary'>,
): GitSurroundings {
  return { env, signal, repository: join(temporary, 'repository.git'), protocols: [...new Set(['https', 'ssh', protocol])] };
}

/** Asks for the names only. */
async function resolve(place: GitPlace, surroundings: FetchSurroundings & Pick<FetchRequest, 'temporary'>): Promise<Resolved> {
  if (place.ref !== undefined && OBJECT_ID.test(place.ref)) return resolved(place, place.ref, '');
  const patterns = place.ref === undefined ? ['HEAD'] : [place.ref, `${place.ref}^{}`];
  const output = await runGit(['ls-remote', '--quiet', '--', place.url, ...patterns], surroundingsOf(place, surroundings));
  const names = new Map(
    output
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [id = '', name = ''] = line.split('\t');
        return OBJECT_ID.test(id) ? [[name, id] as const] : [];
      }),
  );
  const ref = place.ref === undefined ? 'HEAD' : [`${TAG}${place.ref}`, `${BRANCH}${place.ref}`, place.ref].find((name) => names.has(name));
  const id = ref === undefined ? undefined : (names.get(`${ref}^{}`) ?? names.get(ref));
  if (ref === undefined || id === undefined) throw unknownRef(place);
  return resolved(place, id, ref);
}

function resolved({ ref, url }: GitPlace, commit: string, full: string): Resolved {
  const short = commit.slice(0, 10);
  const named = ref === undefined || OBJECT_ID.test(ref) ? short : `${ref} (${short})`;
  const pin = { url, commit, ...(full.startsWith('refs/') ? { ref: full } : {}) };
  return { pin, version: named, ...(full.startsWith(TAG) ? { promised: full } : {}) };
}

async function fetch(place: GitPlace, request: FetchRequest): Promise<FetchedContent> {
  const git = surroundingsOf(place, request);
  await runGit(['init', '--quiet', '--bare', '--template=', git.repository], git);
  const commit = request.pin?.['commit'];
  if (commit !== undefined && !OBJECT_ID.test(commit)) throw new FetchError('The lock has an invalid commit.', 'Restore footbridge.lock.');
  const wanted = commit === undefined ? await wantedRef(place, git) : { name: commit };
  // With a folder, files are fetched when it is known which.
  const filter = place.path === '' ? `blob:limit=${FETCH_BOUNDS.file + 1}` : 'blob:none';
  await fetchInto(git, place, filter, wanted.name).catch((cause: unknown) => {
    throw commit === undefined ? cause : notAvailable(place, commit, cause);
  });
  const [id = '', tag = ''] = (await runGit(['rev-parse', 'FETCH_HEAD^{commit}', 'FETCH_HEAD'], git)).toString('utf8').trim().split('\n');
  if (commit !== undefined && id !== commit) throw notAvailable(place, commit);
  const entries = await listTree(id, place.path, git);
  if (place.path !== '' && entries.length === 0)
    throw new FetchError(`The repository has no folder '${place.path}'.`, 'Correct the path after the name of the repository.');
  const files = skillEntries(entries, request);
  if (place.path !== '') await fetchBlobs(files, place, git);
  await stageBlobs(files, place.path, request.staging, git);
  return {
    ...resolved(place, id, request.pin?.['ref'] ?? wanted.full ?? ''),
    evidence: { kind: 'git', repository: git.repository, commit: id, ...(tag === id ? {} : { tag }) },
  };
}

interface WantedRef {
  readonly name: string;
  /** With `refs/`. */
  readonly full?: string;
}

/** A name may be that of a tag or of a branch, and the lock says which. */
async function wantedRef(place: GitPlace, git: GitSurroundings): Promise<WantedRef> {
  if (place.ref === undefined) return { name: 'HEAD' };
  if (OBJECT_ID.test(place.ref)) return { name: place.ref };
  const output = (await runGit(['ls-remote', '--quiet', '--', place.url, place.ref], git)).toString('utf8');
  const full = [`${TAG}${place.ref}`, `${BRANCH}${place.ref}`].find((name) => output.includes(`\t${name}\n`));
  if (full === undefined) throw unknownRef(place);
  return { name: full, full };
}

async function fetchInto(git: GitSurroundings, { url }: GitPlace, filter: string, name: string): Promise<void> {
  await runGit(['fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', `--filter=${filter}`, '--', url, name], git);
}

/** The files of skills, those beside a skill at the top that is the whole repository, and those that describe plugins. */
function skillEntries(entries: readonly TreeEntry[], { staging }: FetchRequest): readonly TreeEntry[] {
  const folders = new Set(
    entries.flatMap(({ path }) => (path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`) ? [path.slice(0, -SKILL_FILE.length)] : [])),
  );
  const isInSkill = (path: string) => {
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
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

/** In one request, since git would fetch each when it is read. */
async function fetchBlobs(entries: readonly TreeEntry[], { url }: GitPlace, git: GitSurroundings): Promise<void> {
  const ids = [...new Set(entries.map(({ id }) => id))];
  if (ids.length === 0) return;
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--filter=blob:none',
    '--stdin',
    '--',
    url,
  ];
  await runGit(['-c', 'fetch.negotiationAlgorithm=noop', ...args], git, `${ids.join('\n')}\n`);
}

function unknownRef({ ref }: GitPlace): FetchError {
  return new FetchError(`The repository has no branch or tag '${ref ?? 'HEAD'}'.`, 'Correct its name. A commit needs all of its digits.');
}

function notAvailable({ url }: GitPlace, commit: string, cause?: unknown): FetchError {
  const reason = cause instanceof FetchError ? ` ${cause.message}` : '';
  return new FetchError(
    `Commit ${commit.slice(0, 10)} of ${url} cannot be fetched.${reason}`,
    'If it was removed, choose another version with: footbridge update',
  );
}
