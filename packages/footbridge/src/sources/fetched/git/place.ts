/** Parses the specification of a git repository. */
import { echo } from '../../../errors.js';
import { isLoopbackName } from '../../upstream/sign-in/guarded-fetch.js';
import { FetchError } from '../fetch-error.js';
import { pathSegments } from '../paths.js';

export interface GitPlace {
  readonly url: string;
  /** A branch, a tag or a whole commit id; undefined for the default branch. */
  readonly ref: string | undefined;
  /** A folder in the repository; empty for all of it. */
  readonly path: string;
  readonly protocol: string;
  /** The name of the repository. */
  readonly title: string;
}

const GITHUB = /^github:([\w.-]{1,100})\/([\w.-]{1,100})((?:\/[^@]{0,400})?)(?:@(.{1,200}))?$/;
const GITHUB_PAGE = /^https:\/\/github\.com\/([\w.-]{1,100})\/([\w.-]{1,100})(?:\/tree\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/;
/** As ssh writes it. */
const SSH = /^([\w.-]{1,100})@([\w.-]{1,200}):([^:].{0,400})$/;
const REF = /^(?![-./])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\\p{Cc}]{1,200}(?<![/.])$/u;

/** Undefined if it is not the specification of a repository. */
export function gitPlace(specification: string): GitPlace | undefined {
  if (specification.startsWith('github:')) return github(specification);
  const page = GITHUB_PAGE.exec(specification);
  if (page !== null && !/\.(?:skill|zip|tgz|tar\.gz)$/.test(specification)) {
    const [, owner = '', repository = '', ref, path = ''] = page;
    return placeOf(`https://github.com/${owner}/${repository.replace(/\.git$/, '')}.git`, ref, path);
  }
  const [address = '', fragment] = splitAt(specification, '#');
  const isGit = /^git\+(?:https?|ssh|file):\/\//.test(address) || /^(?:ssh|git):\/\//.test(address) || SSH.test(address);
  if (!isGit && !/^https?:\/\/.*\.git\/?$/.test(address)) return undefined;
  const [ref, path = ''] = splitAt(fragment ?? '', ':');
  return placeOf(address.replace(/^git\+/, ''), ref === '' ? undefined : ref, path);
}

function github(specification: string): GitPlace {
  const [, owner, repository, path = '', ref] = GITHUB.exec(specification) ?? [];
  if (owner === undefined || repository === undefined)
    throw new FetchError(
      `Invalid source '${echo(specification)}'.`,
      'Use github:owner/repo, github:owner/repo/folder or github:owner/repo@tag.',
    );
  return placeOf(`https://github.com/${owner}/${repository.replace(/\.git$/, '')}.git`, ref, path);
}

function splitAt(text: string, mark: string): readonly [string, string?] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function placeOf(url: string, ref: string | undefined, path: string): GitPlace {
  if (ref !== undefined && !REF.test(ref))
    throw new FetchError(`Invalid branch or tag '${echo(ref)}'.`, 'Use the name of a branch or tag, or a whole commit id.');
  const ssh = SSH.exec(url);
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
    protocol: protocol.slice(0, -1),
    title: title === '' ? 'skill' : title,
  };
}
