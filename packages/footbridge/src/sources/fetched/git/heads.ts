/** The fetched commit, and the tag that led to it. */
import type { GitEvidence } from '../evidence.js';
import { FetchError } from '../fetch-error.js';
import { type GitSurroundings, runGit } from './command.js';

export type FetchedHead = Omit<GitEvidence, 'kind' | 'repository' | 'wantedTag'>;

/** Throws a `FetchError` if the name leads to no commit. */
export async function fetchedHead(git: GitSurroundings, start = 'FETCH_HEAD'): Promise<FetchedHead> {
  const output = await runGit(['cat-file', '--batch'], { ...git, protocols: [] }, `${start}\n${start}^{commit}\n`);
  const first = objectAt(output, 0);
  const second = first === undefined ? undefined : objectAt(output, first.end);
  if (first === undefined || second?.type !== 'commit')
    throw new FetchError('The branch or tag does not lead to a commit.', 'Name another one.');
  const commit = { commit: second.id, isCommitSigned: /^gpgsig/m.test(headOf(second.content)) };
  if (first.type !== 'tag') return commit;
  const text = first.content.toString('latin1');
  const name = /^tag (.+)$/m.exec(headOf(first.content))?.[1];
  return { ...commit, tag: { id: first.id, name: name ?? '', isSigned: /^-----BEGIN /m.test(text) } };
}

interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly content: Buffer;
  readonly end: number;
}

/** As `cat-file --batch` writes it: `ID TYPE SIZE`, the content, and a line feed. */
function objectAt(output: Buffer, at: number): GitObject | undefined {
  const begin = output.indexOf('\n', at) + 1;
  const [id = '', type = '', size = ''] = output.toString('latin1', at, Math.max(at, begin - 1)).split(' ');
  if (begin === 0 || !/^\d{1,9}$/.test(size)) return undefined;
  const end = begin + Number(size);
  return { id, type, content: output.subarray(begin, end), end: end + 1 };
}

/** Before the first empty line. */
function headOf(content: Buffer): string {
  const end = content.indexOf('\n\n');
  return content.toString('utf8', 0, end === -1 ? content.length : end);
}
