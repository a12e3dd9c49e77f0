/** Checks the signature of a git tag or commit, with ssh or OpenPGP keys. git itself checks it, with only the settings given here. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { echo } from '../../../errors.js';
import type { GitEvidence, Signer } from '../evidence.js';
import { FetchError } from '../fetch-error.js';
import type { Signers } from './settings.js';

const run = promisify(execFile);
const GIT_TIMEOUT_MS = 30_000;
const LONGEST_OUTPUT = 1024 * 1024;

interface Checking {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** A private folder. */
  readonly temporary: string;
}

/** A signed tag counts for its commit. Undefined without a signature, or if its key is not known. Throws if it is not valid. */
export async function gitSigner(evidence: GitEvidence, signers: Signers, checking: Checking): Promise<Signer | undefined> {
  const { commit, isCommitSigned, tag, wantedTag } = evidence;
  if (!isCommitSigned && tag?.isSigned !== true) return undefined;
  // Otherwise the signed object of another tag would be accepted.
  if (tag?.isSigned === true && wantedTag !== undefined && tag.name !== wantedTag)
    throw new FetchError(
      `The tag ${echo(wantedTag)} has the signature of another tag, ${echo(tag.name)}.`,
      'Nothing was added. Ask its publisher.',
    );
  // In a folder with a short name: gpg puts sockets there.
  const home = await mkdtemp(join(tmpdir(), 'fb-keys-'));
  try {
    const git = await prepare(evidence, signers, checking, home);
    const byTag = tag?.isSigned === true ? signerIn(await git('verify-tag', tag.id)) : undefined;
    return byTag ?? (isCommitSigned ? signerIn(await git('verify-commit', commit)) : undefined);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** The keys are in a separate folder, and no user configuration is read. */
async function prepare({ repository }: GitEvidence, { openPgp, ssh }: Signers, { env, signal, temporary }: Checking, home: string) {
  const allowed = join(temporary, 'allowed-signers');
  await writeFile(allowed, ssh.map((key, index) => `signer-${index} namespaces="git" ${key}\n`).join(''));
  const surroundings = {
    PATH: env['PATH'],
    HOME: home,
    GNUPGHOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
  };
  const options = { env: surroundings, signal, timeout: GIT_TIMEOUT_MS, maxBuffer: LONGEST_OUTPUT, cwd: temporary };
  for (const [index, key] of openPgp.entries()) {
    const file = join(home, `key-${index}.asc`);
    await writeFile(file, key);
    await run('gpg', ['--batch', '--quiet', '--no-options', '--no-autostart', '--import', file], options).catch(() => {
      throw new FetchError('An OpenPGP key in "signers" cannot be read.', 'See that gpg is installed, and that the key is a public key.');
    });
  }
  const settings = {
    'gpg.program': 'gpg',
    'gpg.openpgp.program': 'gpg',
    'gpg.ssh.program': 'ssh-keygen',
    // Certificates of S/MIME are not supported.
    'gpg.x509.program': 'false',
    'gpg.ssh.allowedSignersFile': allowed,
    'gpg.ssh.revocationFile': '',
    'gpg.minTrustLevel': 'undefined',
    'core.hooksPath': '/dev/null',
    'core.fsmonitor': 'false',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return async (command: string, id: string): Promise<string> => {
    try {
      const { stderr } = await run('git', [...words, `--git-dir=${repository}`, command, '--raw', id], options);
      return stderr;
    } catch (cause) {
      signal.throwIfAborted();
      // It fails without a signature, too.
      return cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : '';
    }
  };
}

const SSH_GOOD = /^Good "git" signature (?:for \S+ )?with \S+ key (SHA256:[A-Za-z0-9+/=]+)$/m;
const PGP_GOOD = /^\[GNUPG:\] GOODSIG /m;
const PGP_VALID = /^\[GNUPG:\] VALIDSIG [0-9A-F]+ (?:\S+ ){8}([0-9A-F]{40,64})$/m;
const BAD = /^\[GNUPG:\] (?:BADSIG|EXPKEYSIG|REVKEYSIG|EXPSIG) |^Signature verification failed|^Could not verify signature/m;

function signerIn(output: string): Signer | undefined {
  const ssh = SSH_GOOD.exec(output)?.[1];
  if (ssh !== undefined) return { method: 'ssh', identity: ssh };
  const primary = PGP_GOOD.test(output) ? PGP_VALID.exec(output)?.[1] : undefined;
  if (primary !== undefined) return { method: 'gpg', identity: primary };
  if (BAD.test(output))
    throw new FetchError(
      'The signature of the commit or tag is not valid: it was changed, or its key has expired or was revoked.',
      'Nothing was added. Ask its publisher.',
    );
  return undefined;
}

/** The fingerprint that ssh shows for a public key. */
export async function sshFingerprint(key: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  const [, encoded = ''] = key.split(' ');
  return `SHA256:${createHash('sha256').update(Buffer.from(encoded, 'base64')).digest('base64').replaceAll('=', '')}`;
}
