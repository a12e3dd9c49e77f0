/** How git connects to a repository: the user's settings may rewrite the URL, and set the program for ssh. */
import { echo } from '../../../errors.js';
import { isLoopbackName } from '../../../outgoing/loopback-name.js';
import { FetchError } from '../fetch-error.js';
import { type GitSurroundings, runGit } from './command.js';
import { SSH_ADDRESS } from './place.js';

/**
 * `local` with the settings for connecting to the URL. Throws a `FetchError` if it leads to an unsafe URL or, with `isPublicOnly`,
 * to a private network, unless the user's settings do.
 */
export async function connected(url: string, local: GitSurroundings, isPublicOnly: boolean): Promise<GitSurroundings> {
  const names = (await runGit(['config', '--list', '--name-only', '-z'], local)).toString('utf8').split('\0');
  const isRewritten = names.some((name) => name.startsWith('url.') && name.endsWith('.insteadof'));
  const address = isRewritten ? (await runGit(['ls-remote', '--get-url', '--', url], local)).toString('utf8').trim() : url;
  const protocol = protocolOf(address);
  if (protocol === undefined)
    throw new FetchError(
      `A setting "insteadOf" of git replaces ${echo(url)} by ${echo(address)}, which is not safe.`,
      'Use https://, ssh:// or a path in it.',
    );
  if (isPublicOnly && address === url && (await isInside(url)))
    throw new FetchError(
      `${echo(url)} is on a private network, and a file that is not trusted must not lead there.`,
      'Review footbridge.json, then run in its folder: footbridge trust',
    );
  // A prompt of ssh would block forever.
  const isOwn = local.env['GIT_SSH_COMMAND'] !== undefined || local.env['GIT_SSH'] !== undefined || names.includes('core.sshcommand');
  return { ...local, protocols: [...new Set(['https', protocol])], ssh: protocol === 'ssh' && !isOwn ? 'ssh -oBatchMode=yes' : undefined };
}

async function isInside(address: string): Promise<boolean> {
  const [{ isInternalAddress }, { resolvedAddresses }] = await Promise.all([
    import('../../../outgoing/internal-addresses.js'),
    import('../../../outgoing/public-only.js'),
  ]);
  const host = SSH_ADDRESS.exec(address)?.[2] ?? new URL(address).hostname;
  return host !== '' && (await resolvedAddresses(host)).some(isInternalAddress);
}

const SAFE: ReadonlySet<string> = new Set(['https', 'ssh', 'file']);

/** Undefined if it is not encrypted, or starts a program. */
function protocolOf(address: string): string | undefined {
  if (address.startsWith('/')) return 'file';
  if (SSH_ADDRESS.test(address)) return 'ssh';
  if (!URL.canParse(address)) return undefined;
  const { hostname, protocol } = new URL(address);
  const name = protocol.slice(0, -1);
  return SAFE.has(name) || (name === 'http' && isLoopbackName(hostname)) ? name : undefined;
}
