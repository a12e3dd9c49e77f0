/** Repairs of a damaged entry in a host, and of a locked skill. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENTRY, type Json } from './support/client.js';
import { run } from './support/command.js';
import { createWorld } from './support/folders.js';
import { runProgram } from './support/program.js';

it('install repairs an entry that does not start, and uninstall removes it', async () => {
  const world = createWorld();
  const file = join(world.home, '.cursor', 'mcp.json');
  const other = '"other": { "command": "other-server", "env": { "T": "plainvalue99" } }';
  const write = (entry: Json) =>
    world.write('home/.cursor/mcp.json', `{\n  "mcpServers": {\n    ${other},\n    "footbridge": ${JSON.stringify(entry)}\n  }\n}\n`);
  const entry = () => JSON.parse(readFileSync(file, 'utf8')).mcpServers.footbridge;
  write({ comand: 'npx' });
  const installed = await runProgram(world, 'install', '--global', '--host', 'cursor', '--skills', '~/sk', '--yes', '--diff');
  expect(installed).toMatchObject({ code: 0, stdout: expect.stringContaining('"T": "…"') });
  // The environment of servers is never shown, whatever its names.
  expect(installed.stdout).not.toContain('plainvalue99');
  expect(entry()).toEqual({ command: process.execPath, args: [ENTRY, '--skills', '~/sk'] });

  writeFileSync(file, readFileSync(file, 'utf8').replace('footbridge.cjs', 'footbridg.cjs'));
  expect(await runProgram(world, 'uninstall', '--global', '--yes')).toMatchObject({ code: 0 });
  expect(entry()).toBeUndefined();
  // An entry of another program under our name is not an error.
  write({ command: process.execPath, args: ['-v'] });
  const refused = await runProgram(world, 'install', '--global', '--host', 'cursor', '--yes');
  expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('Another server is named footbridge there.') });
});

it('doctor reports what the lock withholds, and reads the project entries of Claude Code', async () => {
  const world = createWorld();
  world.skill('project/.agents/skills/hello', { name: 'hello', description: 'Greets people. Use when somebody arrives.' });
  world.write('project/footbridge.json', '{ "locked": true }');
  const local = { projects: { [world.project]: { mcpServers: { footbridge: { command: process.execPath, args: [ENTRY] } } } } };
  world.write('home/.claude.json', JSON.stringify(local));
  const diagnose = async () => {
    const { code, stdout } = await runProgram(world, 'doctor', '--json');
    const report: Json = JSON.parse(stdout);
    return { code, report, codes: report.findings.map((each: Json) => each.code) };
  };
  expect(await diagnose()).toMatchObject({ code: 1, codes: expect.arrayContaining(['lock-missing', 'locked']) });

  expect(await run(world, 'lock')).toMatchObject({ code: 0 });
  const good = await diagnose();
  expect(good).toMatchObject({ code: 0, report: { lock: { state: 'good', locked: true }, skills: { served: 1 } } });
  expect(good.report.hosts).toMatchObject([
    { id: 'claude-code', file: '~/.claude.json', entries: [{ name: 'footbridge', state: 'works' }] },
  ]);

  world.skill('project/.agents/skills/hello', { name: 'hello', description: 'Greets nobody. Use when somebody leaves.' });
  const drifted = await diagnose();
  expect(drifted).toMatchObject({ code: 1, codes: expect.arrayContaining(['lock-drift', 'locked']), report: { skills: { served: 0 } } });
  expect(await run(world, 'list')).toMatchObject({ code: 0, stdout: 'No skills are served. To find out why, run: footbridge lint\n' });
});
