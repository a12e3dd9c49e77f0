// The changelog: `npm version` gives the unreleased changes the version, with those of the commits since the release before it. Run as
// a program, prints the section of the version, which are the notes of the release.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './ready.mjs';

export const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## [Unreleased]';
/** Types of commits that users notice, with their headings. */
const HEADINGS = { feat: 'New', fix: 'Fixed', perf: 'Faster' };
/** Parts that are not in a package. */
const OWN_SCOPES = new Set(['bench', 'ci', 'conformance', 'fuzz', 'release', 'test']);

/** The text of the changelog in which the unreleased changes are those of this version. */
export function released(changelog, version) {
  const begin = `## [${version}] - ${new Date().toISOString().slice(0, 10)}`;
  const [before, ...others] = changelog.split(`${UNRELEASED}\n`);
  if (others.length !== 1) throw new Error(`${CHANGELOG} needs one heading "${UNRELEASED}".`);
  const [after] = others;
  const end = after.search(/^## /m);
  const [written, earlier] = end === -1 ? [after, ''] : [after.slice(0, end), after.slice(end)];
  const section = [begin, written.trim(), changes()].filter((text) => text !== '').join('\n\n');
  return `${before}${UNRELEASED}\n\n${section}\n${earlier === '' ? '' : `\n${earlier}`}`;
}

/** What the commits since the release before it say, by kind. */
function changes() {
  const sections = new Map(Object.values(HEADINGS).map((heading) => [heading, []]));
  for (const subject of subjects()) {
    const [, type = '', scope = '', breaking, summary = ''] = /^(\w+)(?:\(([^)]+)\))?(!)?: (.*)$/.exec(subject) ?? [];
    if (!Object.hasOwn(HEADINGS, type) || OWN_SCOPES.has(scope)) continue;
    sections.get(HEADINGS[type]).push(`- ${scope === '' ? '' : `${scope}: `}${summary}${breaking === undefined ? '' : ' (breaking)'}`);
  }
  const lists = [...sections].filter(([, lines]) => lines.length > 0).map(([heading, lines]) => `#### ${heading}\n\n${lines.join('\n')}`);
  return lists.length === 0 ? '' : `### Every change, by commit\n\n${lists.join('\n\n')}`;
}

/** Oldest first. */
function subjects() {
  const [latest] = git('tag', '--merged', 'HEAD', '--sort=-creatordate', '--list', 'v*');
  return git('log', '--reverse', '--no-merges', '--format=%s', latest === undefined ? 'HEAD' : `${latest}..HEAD`);
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((line) => line !== '');
}

function sectionOf(changelog, version) {
  const [, after] = changelog.split(`## [${version}]`);
  if (after === undefined) throw new Error(`${CHANGELOG} has no section of ${version}. Run npm version, which writes it.`);
  const [, ...lines] = after.split(/^## /m)[0].split('\n');
  return lines.join('\n').trim();
}

if (process.argv[1] === import.meta.filename) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  process.stdout.write(`${sectionOf(readFileSync(join(root, CHANGELOG), 'utf8'), version)}\n`);
}
