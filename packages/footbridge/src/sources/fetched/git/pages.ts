/** The addresses that a browser shows for a repository, on the sites that most people use. */

interface RepositoryPage {
  readonly url: string;
  readonly ref: string | undefined;
  readonly path: string;
}

/** Site, repository, branch or tag, and folder. */
const PAGES: readonly RegExp[] = [
  /^https:\/\/(github\.com)\/([\w.-]{1,100}\/[\w.-]{1,100})(?:\/tree\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
  /^https:\/\/(gitlab\.com)\/(\w[\w.-]{0,99}(?:\/\w[\w.-]{0,99}){1,8})(?:\/-\/tree\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
  /^https:\/\/(codeberg\.org)\/([\w.-]{1,100}\/[\w.-]{1,100})(?:\/src\/(?:branch|tag|commit)\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
  /^https:\/\/(bitbucket\.org)\/([\w.-]{1,100}\/[\w.-]{1,100})(?:\/src\/([^/#?]{1,200})((?:\/[^#?]{0,400})?))?\/?$/,
];
const ARCHIVE = /\.(?:skill|zip|tgz|tar\.gz)$/;

/** Undefined for any other address. */
export function repositoryPage(address: string): RepositoryPage | undefined {
  if (ARCHIVE.test(address)) return undefined;
  for (const page of PAGES) {
    const [, site, repository, ref, path = ''] = page.exec(address) ?? [];
    if (site !== undefined && repository !== undefined)
      return { url: `https://${site}/${repository.replace(/\.git$/, '')}.git`, ref, path };
  }
  return undefined;
}
