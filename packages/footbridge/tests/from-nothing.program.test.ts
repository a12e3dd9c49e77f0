/** From nothing to a skill in a host and back, with the published program and a third-party host. */
import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { environment, type Json } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { FIXTURE_HOSTS, HOST_FILES, hostText, readHost, writeHosts } from './support/hosts.js';
import { QWEN } from './support/npm-servers.js';
import { runProgram } from './support/program.js';

/** What Qwen Code says of the servers in its configuration. */
async function qwenList(world: World): Promise<string> {
  const options = { cwd: world.project, env: environment(world.home, { NO_COLOR: '1', CI: '1' }) };
  const { stderr, stdout } = await promisify(execFile)(process.execPath, [QWEN, 'mcp', 'list'], options);
  return stripVTControlCharacters(`${stdout}${stderr}`);
}

it.runIf(process.platform === 'linux')(
  'in a home with the files of twelve hosts: init, install, doctor, connected in Qwen Code, uninstall, and every byte as before',
  async () => {
    const world = createWorld();
    writeHosts(world);

    expect(
      await runProgram(world, 'init', 'hello', '--global', '--description', 'Greets people. Use when somebody arrives.'),
    ).toMatchObject({
      code: 0,
    });
    // The sentences of the template are still to be replaced.
    expect(await runProgram(world, 'lint')).toMatchObject({ code: 1, stdout: expect.stringContaining('1 skill, 7 errors, 0 warnings') });
    expect(await runProgram(world, 'install', '--global', '--yes')).toMatchObject({ code: 0 });

    const { code, stdout } = await runProgram(world, 'doctor', '--json');
    const report: Json = JSON.parse(stdout);
    expect(code, JSON.stringify(report.findings, undefined, 1)).toBe(0);
    const working = report.hosts.filter((host: Json) => host.entries.some((entry: Json) => entry.state === 'works'));
    expect(working.map((host: Json) => host.file).sort()).toEqual(
      Object.values(HOST_FILES)
        .map((file) => `~/${file}`)
        .sort(),
    );
    for (const { entries } of working) expect(entries[0].sees[0]).toMatchObject({ kind: 'skills', count: 1, tool: 'skill' });

    expect(await qwenList(world)).toMatch(/✓ footbridge: .* - Connected/);

    expect(await runProgram(world, 'uninstall', '--global', '--yes')).toMatchObject({ code: 0 });
    for (const host of FIXTURE_HOSTS) expect(readHost(world, host), host).toBe(hostText(host));
    expect(await qwenList(world)).not.toContain('footbridge');
  },
  120_000,
);
