/** `"trust"` in footbridge.json: what `add`, `update` and `fetch` refuse. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runIn } from '../support/command.js';
import { createWorld, type World } from '../support/folders.js';
import { newKey, signedCommit } from './ssh-keys.js';
import { newRepository, skillText } from './support.js';

function configure(world: World, trust: object): void {
  world.write('project/footbridge.json', JSON.stringify({ trust }));
}

it('requires a signature of a known signer, records it, and rejects another until the user agrees', async () => {
  const [world, repository, ada, eve] = [createWorld(), newRepository({ 'pdf/SKILL.md': skillText('pdf') }), newKey(), newKey()];
  const source = `git+file://${repository}`;
  configure(world, { require: ['signed'], signers: [ada.text, eve.text] });
  expect(await runIn(world, {}, 'add', source, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('"trust" requires one'),
  });
  signedCommit(repository, ada, { 'pdf/SKILL.md': skillText('pdf', 'Signed.') });
  expect(await runIn(world, {}, 'add', source, '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('signed by SHA256:') });
  const lock = JSON.parse(readFileSync(world.path('project/footbridge.lock'), 'utf8'));
  expect(lock.sources[0].signer).toEqual({ method: 'ssh', identity: expect.stringMatching(/^SHA256:/) });
  signedCommit(repository, eve, { 'pdf/SKILL.md': skillText('pdf', 'By another.') });
  const { code, stdout } = await runIn(world, {}, 'update', '--yes');
  expect(code).toBe(1);
  expect(stdout).toContain('was signed by SHA256:');
  expect(stdout).toContain(`footbridge add ${source}`);
  expect(JSON.parse(readFileSync(world.path('project/footbridge.lock'), 'utf8'))).toEqual(lock);
  expect(await runIn(world, {}, 'add', source, '--yes')).toMatchObject({ code: 0 });
  expect(await runIn(world, {}, 'update', '--yes')).toMatchObject({ code: 0 });
});

it('accepts unsigned sources, and labels them', async () => {
  const [world, repository] = [createWorld(), newRepository({ 'pdf/SKILL.md': skillText('pdf') })];
  expect(await runIn(world, {}, 'add', `git+file://${repository}`, '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('unsigned'),
  });
});

it('runs the scanner of a trusted file only', async () => {
  const world = createWorld();
  const mark = world.path('outside/ran');
  const sarif = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'test' } }, results: [] }] });
  world.write(
    'project/scan.mjs',
    `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nconsole.log(${JSON.stringify(sarif)});\n`,
  );
  world.skill('outside/team/pdf');
  configure(world, { scan: [process.execPath, './scan.mjs'] });
  const source = world.path('outside/team');
  expect(await runIn(world, {}, 'add', source, '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('footbridge trust') });
  expect(existsSync(mark)).toBe(false);
  expect(await runIn(world, {}, 'trust', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('run the scanner') });
  expect(await runIn(world, {}, 'add', source, '--yes')).toMatchObject({ code: 0 });
  expect(existsSync(mark)).toBe(true);
});
