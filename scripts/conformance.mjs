// npm run conformance: the official MCP conformance suite against `footbridge serve --http`, in both protocol eras.
// Fails when a scenario that applies does not pass, and when conformance/expected.json is not right about one.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSuite } from '../conformance/suite.mjs';
import { judge } from '../conformance/verdict.mjs';
import { install, makeReady, root } from './ready.mjs';

const START_MS = 30_000;
const results = join(root, '.tmp', 'conformance');

makeReady();
install('conformance');
// An exit, unlike a signal, removes the temporary folder and ends what was started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const expected = JSON.parse(readFileSync(join(root, 'conformance', 'expected.json'), 'utf8'));
const { rows, complaints } = judge(await runSuite(await serve(), results), expected);
console.log(table(rows));
for (const complaint of complaints) console.log(`WRONG: ${complaint}`);
if (complaints.length > 0)
  console.log(`\nWhat has to pass is in conformance/expected.json, what the suite saw in ${join('.tmp', 'conformance')}.`);
process.exit(complaints.length === 0 ? 0 : 1);

/** Starts the server with nothing but the skills of the suite; resolves with its endpoint. */
function serve() {
  const home = mkdtempSync(join(tmpdir(), 'footbridge-conformance-'));
  const command = join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs');
  const skills = join(root, 'conformance', 'skills');
  const child = spawn(process.execPath, [command, 'serve', '--http', '0', '--prompts', '--skills', skills], {
    cwd: home,
    env: { ...process.env, HOME: home, USERPROFILE: home, FOOTBRIDGE_CACHE: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  process.on('exit', () => {
    child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });
  return new Promise((resolve) => {
    let output = '';
    const failed = (reason) => {
      console.error(`The server ${reason}.\n${output}`);
      process.exit(1);
    };
    const late = setTimeout(failed, START_MS, 'did not start in time');
    child.once('error', ({ message }) => failed(`could not be started: ${message}`));
    child.once('exit', () => failed('ended'));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        const endpoint = /http:\/\/\S+\/mcp/.exec(output)?.[0];
        if (endpoint === undefined) return;
        clearTimeout(late);
        resolve(endpoint);
      });
    }
  });
}

function table(rows) {
  const verdicts = ['passed', 'not applicable', 'wrong'];
  const count = (revision, verdict) => rows.filter((row) => row.revision === revision && row.verdict === verdict).length;
  const lines = [...new Set(rows.map(({ revision }) => revision))].map((revision) => [
    revision,
    ...verdicts.map((verdict) => count(revision, verdict)),
  ]);
  return [['revision', ...verdicts], ...lines]
    .map((line) =>
      line
        .map((cell) => String(cell).padEnd(16))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
