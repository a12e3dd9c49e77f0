/** `doctor` and `install` in a project whose files may come from anywhere. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as hosts write them
import { existsSync, readFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Capture, runIn } from './support/command.js';
import { createWorld } from './support/folders.js';

const world = createWorld(() => {});
const mark = world.path('outside/ran');
const marking = (name: string) => `require('node:fs').writeFileSync(${JSON.stringify(`${mark}-${name}`)}, '');\n`;
const run = (...args: string[]) => runIn(world, {}, ...args);

it('starts no entry that comes with a project before it is trusted', async () => {
  world.write('project/footbridge', `#!/usr/bin/env node\n${marking('vscode')}`);
  world.write('project/footbridge.cjs', marking('cursor'));
  const node = process.execPath;
  world.write('project/.vscode/mcp.json', JSON.stringify({ servers: { helper: { command: node, args: ['./footbridge'] } } }));
  world.write(
    'project/.cursor/mcp.json',
    JSON.stringify({ mcpServers: { footbridge: { command: node, args: ['./footbridge.cjs'], cwd: '.' } } }),
  );
  world.write('project/footbridge.json', JSON.stringify({ mcpServers: { evil: { command: node, args: ['-e', marking('server')] } } }));
  const { stdout } = await run('doctor', '--json', '--host', 'cursor', '--host', 'vscode');
  const { findings, hosts, servers } = JSON.parse(stdout);
  for (const name of ['vscode', 'cursor', 'server']) expect(existsSync(`${mark}-${name}`), name).toBe(false);
  expect(findings).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ code: 'untrusted', message: 'It is not trusted yet, so some of it is not used: its server (evil).' }),
      expect.objectContaining({ code: 'server-untrusted', where: 'mcpServers.evil', severity: 'error' }),
      expect.objectContaining({ code: 'host-untrusted', where: 'Cursor, .cursor/mcp.json: footbridge', severity: 'warning' }),
    ]),
  );
  expect(servers).toEqual([{ name: 'evil', reached: false, ms: expect.any(Number) }]);
  expect(JSON.stringify(hosts)).not.toContain('"works"');
  const trusted = await run('trust', '--yes');
  expect(trusted.stdout).toContain(`let doctor start footbridge of .cursor/mcp.json: ${node} ./footbridge.cjs`);
  await run('doctor', '--json', '--host', 'cursor');
  for (const name of ['cursor', 'server']) expect(existsSync(`${mark}-${name}`), name).toBe(true);
  world.remove('outside');
  world.write('outside/empty', '');
  world.write('project/footbridge.cjs', `${marking('cursor')}// other`);
  await run('doctor', '--json', '--host', 'cursor');
  expect(existsSync(`${mark}-cursor`)).toBe(false);
});

it('install trusts the entry that it writes, and offers to trust the rest of the project', async () => {
  for (const file of ['.cursor', '.vscode', 'footbridge', 'footbridge.cjs']) world.remove(`project/${file}`);
  world.write('project/.gemini/settings.json', '{}');
  await run('trust', '--remove');
  const quiet = await run('install', '--host', 'gemini-cli', '--yes');
  expect(quiet.stdout).toContain('This project runs programs only after you trust it. Review it, then run: footbridge trust\n');
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const output = new Capture(true);
  stdin.end('y\n');
  const { code } = await runIn(world, { stdin, stdout: output, stderr: output }, 'install', '--host', 'gemini-cli');
  expect(code).toBe(0);
  expect(output.text).toContain('start evil: ');
  const text = readFileSync(world.path('project/.gemini/settings.json'), 'utf8');
  const { footbridge } = JSON.parse(text).mcpServers;
  const { report } = { report: JSON.parse((await run('trust', '--json')).stdout) };
  expect(report).toMatchObject({
    trusted: true,
    effects: [expect.stringContaining('start evil'), expect.stringContaining('.gemini/settings.json')],
  });
  footbridge.env = { NODE_OPTIONS: '--require ./evil.cjs' };
  world.write('project/.gemini/settings.json', JSON.stringify({ mcpServers: { footbridge } }));
  expect((await run('trust')).code).toBe(1);
});

it.each([
  ['in its working folder', { args: ['./run.cjs'], cwd: './sub' }],
  ['that it names by the workspace', { args: ['${workspaceFolder}/sub/run.cjs'] }],
])('trusts an entry of a project until the program changes %s', async (_where, entry) => {
  for (const file of ['footbridge.json', '.gemini', '.vscode']) world.remove(`project/${file}`);
  world.write('project/sub/run.cjs', '// first');
  world.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { footbridge: { command: process.execPath, ...entry } } }));
  await run('trust', '--yes');
  expect((await run('trust')).stdout).toContain('is trusted as it is now');
  world.write('project/sub/run.cjs', '// second');
  expect((await run('trust')).code).toBe(1);
});
