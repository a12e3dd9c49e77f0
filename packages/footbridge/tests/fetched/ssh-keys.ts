/** Real ssh keys, and commits that are signed with them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Files, git, temporaryFolder, writeFiles } from './support.js';

export interface SshKey {
  /** Of the private key. */
  readonly file: string;
  /** The public key. */
  readonly text: string;
}

export function newKey(): SshKey {
  const file = join(temporaryFolder(), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada', '-f', file]);
  return { file, text: readFileSync(`${file}.pub`, 'utf8').trim() };
}

export function signedCommit(repository: string, { file }: SshKey, files: Files): void {
  writeFiles(repository, files);
  git(repository, 'add', '--all');
  git(repository, '-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`, 'commit', '--quiet', '-S', '-m', 'Signed');
}
