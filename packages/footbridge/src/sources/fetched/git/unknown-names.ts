/** Errors for a branch, a tag or a folder that a repository does not have. */
import { echo } from '../../../errors.js';
import { FETCH_BOUNDS } from '../bounds.js';
import { FetchError } from '../fetch-error.js';
import { didYouMean, nearNames } from '../near-names.js';
import { type GitSurroundings, runGit } from './command.js';
import { listTree } from './objects.js';
import type { GitPlace } from './place.js';

/** With the most similar names. */
export async function unknownRef(place: GitPlace, git: GitSurroundings): Promise<FetchError> {
  const { ref = 'HEAD', url } = place;
  const names = await runGit(['ls-remote', '--quiet', '--refs', '--heads', '--tags', '--', url], git).then(
    (output) => [...output.toString('utf8').matchAll(/\trefs\/(?:heads|tags)\/(.+)$/gm)].map(([, name = '']) => name),
    () => [],
  );
  return new FetchError(
    `The repository has no branch or tag '${ref}'.`,
    didYouMean(nearNames(ref, names).map(echo), 'Correct its name. A commit needs all of its digits.'),
  );
}

/** As `unknownRef`, for a folder of a commit. */
export async function unknownFolder({ path }: GitPlace, commit: string, local: GitSurroundings): Promise<FetchError> {
  const entries = await listTree(commit, '', local);
  const folders = new Set(
    entries.flatMap((entry) => {
      const names = entry.path.slice(0, FETCH_BOUNDS.path).split('/').slice(0, -1);
      return names.map((_, at) => names.slice(0, at + 1).join('/'));
    }),
  );
  return new FetchError(
    `The repository has no folder '${path}'.`,
    didYouMean(nearNames(path, [...folders]).map(echo), 'Correct the path after the name of the repository.'),
  );
}
