// The README of the package: that of the repository, without the links that lead to what is not in the package.

/** The text for users who have only the package. */
export function packageReadme(text) {
  const ofPackage = text.replace(/^## From a clone\n.*?(?=^## )/ms, '');
  const withoutPictures = ofPackage.replace(/^!\[[^\]]*\]\((?!https:)[^)]*\)\n\n?/gm, '');
  return withoutPictures.replace(/\[([^\]]+)\]\((?!https:|#|LICENSE\))[^)]+\)/g, (_link, name) =>
    name.includes('`') ? name : `*${name}*`,
  );
}
