// Prints the changes since the previous tag as Markdown, from the subjects of the commits.
import { execFileSync } from 'node:child_process';
import { root } from './ready.mjs';

/** Types of commits that users notice, with their headings. */
const HEADINGS = { feat: 'Added', fix: 'Fixed', perf: 'Faster', docs: 'Documentation' };

const sections = new Map(Object.values(HEADINGS).map((heading) => [heading, []]));
for (const subject of subjects()) {
  const [, type = '', scope, breaking, summary = ''] = /^(\w+)(?:\(([^)]+)\))?(!)?: (.*)$/.exec(subject) ?? [];
  const heading = Object.hasOwn(HEADINGS, type) ? HEADINGS[type] : undefined;
  if (heading === undefined) continue;
  const text = `${scope === undefined ? '' : `**${scope}**: `}${summary}${breaking === undefined ? '' : ' (breaking)'}`;
  sections.get(heading).push(`- ${text}`);
}
for (const [heading, lines] of sections) if (lines.length > 0) process.stdout.write(`## ${heading}\n\n${lines.join('\n')}\n\n`);

/** Since the tag before this one, oldest first. */
function subjects() {
  const tags = git('tag', '--merged', 'HEAD', '--sort=-creatordate', '--list', 'v*').filter(
    (tag) => !git('tag', '--points-at', 'HEAD').includes(tag),
  );
  return git('log', '--reverse', '--no-merges', '--format=%s', tags[0] === undefined ? 'HEAD' : `${tags[0]}..HEAD`);
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\n')
    .filter((line) => line !== '');
}
