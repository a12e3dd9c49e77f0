// npm run conformance: runs the official MCP conformance suite, in both protocol eras, against `footbridge serve --http`, against a
// fixture server, and against the same server through `footbridge wrap`; and with Footbridge as the client that signs in.
// Fails if a required scenario fails, if the list of exceptions is wrong about one, or if the results through Footbridge differ
// from the direct ones.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, judgeAllBut } from '../conformance/comparison.mjs';
import { ERAS, runClientSuite, runSuite } from '../conformance/suite.mjs';
import { judge } from '../conformance/verdict.mjs';
import { install, makeReady, root } from './ready.mjs';

const START_MS = 30_000;
const VERDICTS = ['passed', 'not applicable', 'wrong'];

const results = join(root, '.tmp', 'conformance');
const footbridge = join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs');
const fixture = join(root, 'conformance', 'fixture', 'server.mjs');
const skills = join(root, 'conformance', 'skills');
const expected = listed('expected.json');
const exceptions = listed('fixture', 'exceptions.json');
const client = join(root, 'conformance', 'client.mjs');

makeReady();
install('conformance');
// On exit, unlike on a signal, temporary folders are removed and servers are stopped.
const atExit = [];
process.on('exit', () => {
  for (const end of atExit) end();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

// Two lanes, for two cores. The results through Footbridge are compared with the direct ones, so these come first.
const lane = judged('own', async () => {
  const own = await start([footbridge, 'serve', '--http', '0', '--prompts', '--skills', skills]);
  return judge(await run(own, 'own'), expected);
});
const directly = await start([fixture, '--http', '0']);
const direct = await run(directly, 'directly', ERAS);
const verdicts = await Promise.all([
  lane,
  judged('fixture, directly', () => judgeAllBut(direct, exceptions)),
  lane.then(() => judgedThrough('fixture, through footbridge to stdio', 'to-stdio', wrapped('--', process.execPath, fixture))),
  ...(await othersThrough()),
]);
verdicts.push(
  await judged('sign-in, as a client', async () => {
    const runs = await runClientSuite(`${process.execPath} ${client}`, join(results, 'sign-in'));
    return judgeAllBut(runs, listed('client-exceptions.json'));
  }),
);

console.log(table(verdicts));
const problems = verdicts.flatMap(({ way, problems }) => problems.map((problem) => `${way}: ${problem}`));
for (const problem of problems) console.log(`WRONG: ${problem}`);
if (problems.length > 0)
  console.log(`\nconformance/README.md lists what has to pass. The results of the suite are in ${join('.tmp', 'conformance')}.`);
process.exit(problems.length === 0 ? 0 : 1);

async function othersThrough() {
  const toHttp = await judgedThrough('fixture, through footbridge to HTTP', 'to-http', wrapped(directly));
  const asking = await start([fixture, '--http', '0', '--ask-on-session-stream']);
  const isolated = { mcpServers: { fixture: { url: asking, isolation: 'caller' } } };
  const configured = () => start([footbridge, 'serve', '--http', '0', '--config', 'footbridge.json'], isolated);
  return [toHttp, await judgedThrough('fixture, as an isolated upstream', 'isolated', configured)];
}

/** A verdict. A server that cannot be started is one too, so that the others are still judged. */
async function judged(way, reach) {
  try {
    return { way, ...(await reach()) };
  } catch ({ message }) {
    return { way, rows: [], problems: [message] };
  }
}

/** Starts Footbridge once per revision, because it connects upstream in the era of its first client. */
function judgedThrough(way, name, startFor) {
  return judged(way, async () => {
    const through = [];
    for (const revision of ERAS) through.push(...(await run(await startFor(revision), `${name}-${revision}`, [revision])));
    return compare(direct, through);
  });
}

/**
 * Servers of the older era can send requests to a client only on a connection of its own; those of the newer era send them in their
 * results.
 */
function wrapped(...server) {
  return (revision) => start([footbridge, 'wrap', '--isolation', revision < '2026' ? 'caller' : 'shared', '--http', '0', ...server]);
}

function run(endpoint, name, revisions) {
  return runSuite(endpoint, join(results, name), revisions);
}

/**
 * Starts a server in an empty home, with a configuration if one is given; resolves with the endpoint that it prints. It runs until
 * this script exits.
 */
function start(args, configuration) {
  const home = mkdtempSync(join(tmpdir(), 'footbridge-conformance-'));
  if (configuration !== undefined) writeFileSync(join(home, 'footbridge.json'), JSON.stringify(configuration));
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: { ...process.env, HOME: home, USERPROFILE: home, FOOTBRIDGE_CACHE: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atExit.push(() => {
    child.kill();
    rmSync(home, { recursive: true, force: true });
  });
  return new Promise((resolve, reject) => {
    let output = '';
    const failed = (reason) => reject(new Error(`The server ${reason}.\n${output}`));
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

function listed(...path) {
  return JSON.parse(readFileSync(join(root, 'conformance', ...path), 'utf8'));
}

function table(verdicts) {
  const lines = verdicts.flatMap(({ way, rows }) => {
    const revisions = [...new Set(rows.map(({ revision }) => revision))];
    return revisions.map((revision) => {
      const count = (verdict) => rows.filter((row) => row.revision === revision && row.verdict === verdict).length;
      return [revision, way, ...VERDICTS.map(count)];
    });
  });
  const widths = [12, 38, 8, 16, 0];
  return [['revision', 'way', ...VERDICTS], ...lines]
    .map((line) =>
      line
        .map((cell, column) => String(cell).padEnd(widths[column]))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
