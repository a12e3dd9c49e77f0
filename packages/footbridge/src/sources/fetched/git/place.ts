/** Parses the specification of a git repository. */
import { echo } from '../../../errors.js';
import { isLoopbackName } from '../../../outgoing/loopback-name.js';
import { FetchError } from '../fetch-error.js';
import { pathSegments } from '../paths.js';

export interface GitPlace {
  readonly url: string;
  /** A branch, a tag or a whole commit id; undefined for the default branch. */
  readonly ref: string | undefined;
  /** A folder in the repository; empty for all of it. */
  readonly path: string;
  /** The name of the repository. */
  readonly title: string;
}

const GITHUB = /^github:([\w.-]{1,100})\/([\w.-]{1,100})((?:\/.{0,400})?)$/;
/** As ssh writes it. */
export const SSH_ADDRESS = /^([\w.-]{1,100})@([\w.-]{1,200}):([^:].{0,400})$/;
const REF = /^(?![-./])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\\p{Cc}]{1,200}(?<![/.])$/u;
/** URLs that a browser shows for a repository on well-known sites: site, repository, branch or tag, and folder. */
const PAGES: readonly RegExp[] = [
  /^https:\/\/(github\.com)\/([\w.-]{1,100}\/[\w.-]{1,100})(?:\/tree\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
  /^https:\/\/(gitlab\.com)\/(\w[\w.-]{0,99}(?:\/\w[\w.-]{0,99}){1,8})(?:\/-\/tree\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
  /^https:\/\/(codeberg\.org)\/([\w.-]{1,100}\/[\w.-]{1,100})(?:\/src\/(?:branch|tag|commit)\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
  /^https:\/\/(bitbucket\.org)\/([\w.-]{1,100}\/[\w.-]{1,100})(?:\/src\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
];
const ARCHIVE = /\.(?:skill|zip|tgz|tar\.gz)$/;

/** Undefined if it is not the specification of a repository. */
export function gitPlace(specification: string): GitPlace | undefined {
  if (specification.startsWith('github:')) return github(specification);
  const shown = repositoryPage(specification);
  if (shown !== undefined) return shown;
  const [address = '', fragment] = splitAt(specification, '#');
  const isGit = /^git\+(?:https?|ssh|file):\/\//.test(address) || /^(?:ssh|git|file):\/\//.test(address) || SSH_ADDRESS.test(address);
  if (!isGit && !/^https?:\/\/.*\.git\/?$/.test(address)) return undefined;
  const [ref, path = ''] = splitAt(fragment ?? '', ':');
  return placeOf(address.replace(/^git\+/, ''), ref === '' ? undefined : ref, path);
}

function github(specification: string): GitPlace {
  // A scope of npm begins with the same character.
  const mark = /[^/]@/.exec(specification)?.index ?? specification.length;
  const [, owner, repository, path = ''] = GITHUB.exec(specification.slice(0, mark + 1)) ?? [];
  const ref = specification.slice(mark + 2);
  if (owner === undefined || repository === undefined || (ref === '' && specification.endsWith('@')))
    throw new FetchError(
      `Invalid source '${echo(specification)}'.`,
      'Use github:owner/repo, github:owner/repo/folder or github:owner/repo@tag.',
    );
  return placeOf(`https://github.com/${owner}/${repository.replace(/\.git$/, '')}.git`, ref === '' ? undefined : ref, path);
}

function splitAt(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function placeOf(url: string, ref: string | undefined, path: string): GitPlace {
  if (ref !== undefined && !REF.test(ref))
    throw new FetchError(`Invalid branch or tag '${echo(ref)}'.`, 'Use the name of a branch or tag, or a whole commit id.');
  const ssh = SSH_ADDRESS.exec(url);
  const address = ssh === null ? url : `ssh://${ssh[1]}@${ssh[2]}/${ssh[3]}`;
  if (!URL.canParse(address)) throw new FetchError(`Invalid URL '${echo(url)}'.`, 'Use https://, ssh:// or git+file:// URLs.');
  const { hostname, password, pathname, protocol } = new URL(address);
  if (password !== '') throw new FetchError('The URL has a password.', 'Leave it out, and set up a credential helper of git.');
  if (protocol === 'git:' || (protocol === 'http:' && !isLoopbackName(hostname)))
    throw new FetchError(`${protocol}// is not encrypted.`, 'Use https:// or ssh://.');
  const title =
    pathname
      .split('/')
      .at(-1)
      ?.replace(/\.git$/, '') ?? '';
  return {
    url,
    ref,
    path: pathSegments(path.replace(/^\//, '')).join('/'),
    title: title === '' ? 'skill' : title,
  };
}

/** The repository that a page of one of these sites shows; undefined for any other URL. */
function repositoryPage(address: string): GitPlace | undefined {
  if (ARCHIVE.test(address)) return undefined;
  for (const page of PAGES) {
    const [, site, repository, ref, path = ''] = page.exec(address) ?? [];
    if (site !== undefined && repository !== undefined)
      return placeOf(`https://${site}/${repository.replace(/\.git$/, '')}.git`, ref, path);
  }
  return undefined;
}
