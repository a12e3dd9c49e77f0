/** `"trust"` in footbridge.json: what `add`, `update` and `fetch` refuse. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Json } from '../support/client.js';
import { runIn } from '../support/command.js';
import { createWorld, type World } from '../support/folders.js';
import { tar } from './archive-writers.js';
import { newSigstore } from './sigstore.js';
import { newKey, signedCommit } from './ssh-keys.js';
import { newRepository, serveOver, skillText } from './support.js';

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

it('rejects an npm package that another workflow built, until the user agrees', async () => {
  const [world, sigstore] = [createWorld(), await newSigstore()];
  const versions: Record<string, { readonly tarball: Uint8Array; readonly bundle: object }> = {};
  const publish = async (version: string, workflow: string) => {
    const tarball = gzipSync(tar({ name: 'package/skills/pdf/SKILL.md', content: skillText('pdf', version) }));
    const subject = [{ name: `pkg:npm/skills@${version}`, digest: { sha512: createHash('sha512').update(tarball).digest('hex') } }];
    const predicateType = 'https://slsa.dev/provenance/v1';
    const statement = { _type: 'https://in-toto.io/Statement/v1', subject, predicateType, predicate: {} };
    versions[version] = { tarball, bundle: await sigstore.signStatement(`https://github.com/${workflow}@refs/heads/main`, statement) };
  };
  const registry = await serveOver((request, response) => {
    const [, kind = '', version = ''] = request.url?.split('/') ?? [];
    const { bundle, tarball } = versions[version] ?? {};
    if (kind === 'tarball') return response.end(tarball);
    if (kind === 'attestations')
      return response.end(JSON.stringify({ attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle }] }));
    const listed = Object.entries(versions).map(([each, { tarball: bytes }]) => {
      const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
      const attestations = { url: `${registry}/attestations/${each}`, provenance: {} };
      return [each, { dist: { tarball: `${registry}/tarball/${each}/skills.tgz`, integrity, attestations } }];
    });
    return response.end(
      JSON.stringify({ name: 'skills', 'dist-tags': { latest: listed.at(-1)?.[0] }, versions: Object.fromEntries(listed) }),
    );
  });
  world.write('home/.npmrc', `registry=${registry}/\n`);
  configure(world, { require: ['signed'], sigstoreRoot: sigstore.root });
  await publish('1.0.0', 'ada/skills/.github/workflows/publish.yml');
  expect(await runIn(world, {}, 'add', 'npm:skills', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('ada/skills') });
  const lock = readFileSync(world.path('project/footbridge.lock'), 'utf8');
  await publish('1.1.0', 'eve/skills/.github/workflows/publish.yml');
  const { code, stdout } = await runIn(world, {}, 'update', '--yes');
  expect({ code, stdout: stdout.replace(/\s+/g, ' ') }).toEqual({
    code: 1,
    stdout: expect.stringMatching(/was signed by https:\/\/github\.com\/ada\/\S+, and now by https:\/\/github\.com\/eve\//),
  });
  expect(stdout).toContain('footbridge add npm:skills');
  expect(readFileSync(world.path('project/footbridge.lock'), 'utf8')).toBe(lock);
  expect(await runIn(world, {}, 'add', 'npm:skills', '--yes')).toMatchObject({ code: 0, stdout: expect.stringContaining('eve/skills') });
});

it('shows the licence and what lint finds before something is added', async () => {
  const world = createWorld();
  const secret = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyz'}`;
  const text = `---\nname: pdf\ndescription: Fills in forms.\nlicense: Apache-2.0\n---\n\nTODO: write this.\n\nUse ${secret}.\n`;
  const repository = newRepository({ 'pdf/SKILL.md': text });
  const { code, stdout } = await runIn(world, {}, 'add', `git+file://${repository}`);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {2}pdf +1 file, ≈\d+ tokens, Apache-2\.0$/m);
  for (const finding of [/description .*when/i, /TODO/, /secret|token/i])
    expect(stdout).toMatch(new RegExp(`^(?:error|warning) {2}pdf/SKILL\\.md: .*${finding.source}`, 'im'));
  expect(stdout).not.toContain(secret);
  const { findings }: Json = JSON.parse((await runIn(world, {}, 'add', `git+file://${repository}`, '--json')).stdout);
  expect(findings.map(({ rule }: Json) => rule)).toEqual(expect.arrayContaining(['description-when', 'placeholder', 'secret-text']));
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
