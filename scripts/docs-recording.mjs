// Records a real run of the first commands of the README in docs/images/first-skill.svg. `--check` fails if that is another run.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { makeReady, root } from './ready.mjs';

const COLUMNS = 80;
const COMMANDS = ['footbridge init hello', 'footbridge install --host cursor --yes', 'footbridge list'];
const CHARACTER = 8.4;
const LINE = 19;
const MARGIN = 16;
/** Seconds until the next command, and until its next line. */
const PAUSE = 1.2;
const STEP = 0.04;

makeReady();
const folder = mkdtempSync(join(tmpdir(), 'footbridge-recording-'));
try {
  const file = join(root, 'docs', 'images', 'first-skill.svg');
  const recorded = picture(record());
  if (!process.argv.includes('--check')) writeFileSync(file, recorded);
  else if (readFileSync(file, 'utf8') !== recorded) {
    process.stderr.write('docs/images/first-skill.svg is out of date. Record it again: node scripts/docs-recording.mjs\n');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The lines of the terminal, and when each appears. */
function record() {
  const project = join(folder, 'demo');
  const programs = join(folder, 'bin');
  for (const each of [project, programs, join(folder, '.cursor')]) mkdirSync(each);
  // As npm links the command of a clone.
  symlinkSync(join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs'), join(programs, 'footbridge'));
  const env = { HOME: folder, PATH: `${programs}${delimiter}${process.env.PATH}`, COLUMNS: String(COLUMNS), FOOTBRIDGE_CACHE: 'off' };
  const lines = [];
  let at = 0;
  for (const command of COMMANDS) {
    lines.push({ text: `$ ${command}`, isCommand: true, at });
    at += PAUSE;
    const output = execFileSync('sh', ['-c', command], { cwd: project, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    for (const text of shown(output).split('\n')) {
      at += STEP;
      lines.push({ text, isCommand: false, at });
    }
    at += PAUSE;
  }
  return lines;
}

/** Without paths of this machine, which differ from the reader's. */
function shown(output) {
  return output.replaceAll(process.execPath, 'node').replaceAll(root, '~/footbridge').replaceAll(folder, '~').trimEnd();
}

function picture(lines) {
  const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.map(({ at, isCommand, text }, index) => {
    const y = MARGIN + (index + 0.75) * LINE;
    return `<text x="${MARGIN}" y="${y}"${isCommand ? ' class="command"' : ''} style="animation-delay:${at.toFixed(2)}s">${escaped(text)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: ${COMMANDS.join(', then ')}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d0d7de;white-space:pre;animation:show .01s both}
.command{fill:#7ee787;font-weight:bold}
@keyframes show{from{opacity:0}to{opacity:1}}
@media (prefers-reduced-motion:reduce){text{animation:none}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
