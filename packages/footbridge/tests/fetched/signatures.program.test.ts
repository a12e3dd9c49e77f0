/** Signers of fetched content, what is refused, and the scanner. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { trustCheck } from '../../src/sources/fetched/trust/index.js';
import type { TrustSettings } from '../../src/sources/fetched/trust/settings.js';
import { archiveLayer } from './oci-registry.js';
import { newSigstore } from './sigstore.js';
import { commit, get, git, type Machine, newMachine, newRepository, serveOver, skillText, temporaryFolder, writeFiles } from './support.js';

const FILES = { 'skills/pdf/SKILL.md': skillText('pdf') };

function from(source: string, machine: Machine, settings: TrustSettings, before?: Parameters<typeof trustCheck>[0]['before']) {
  return get(source, machine, { check: trustCheck({ settings, surroundings: machine.surroundings, before }) });
}

interface Key {
  /** The public key. */
  readonly text: string;
  readonly fingerprint: string;
  /** Settings of git that sign with it. */
  readonly settings: readonly string[];
}

function sshKey(): Key {
  const file = join(temporaryFolder(), 'key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada', '-f', file]);
  const [, fingerprint = ''] = execFileSync('ssh-keygen', ['-lf', `${file}.pub`], { encoding: 'utf8' }).split(' ');
  const settings = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${file}`];
  return { text: readFileSync(`${file}.pub`, 'utf8').trim(), fingerprint, settings };
}

function gpgKey(): Key {
  const home = temporaryFolder();
  chmodSync(home, 0o700);
  const gpg = (...args: readonly string[]) =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--quiet', ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  gpg('--pinentry-mode', 'loopback', '--passphrase', '', '--quick-generate-key', 'Ada <ada@example.org>', 'ed25519', 'sign', 'never');
  const fingerprint = /^fpr:+([0-9A-F]{40}):/m.exec(gpg('--list-keys', '--with-colons'))?.[1] ?? '';
  // git starts one program, without arguments.
  const program = join(home, 'gpg.sh');
  writeFiles(home, { 'gpg.sh': `#!/bin/sh\nexec gpg --homedir ${home} "$@"\n` });
  chmodSync(program, 0o755);
  return {
    text: gpg('--armor', '--export'),
    fingerprint,
    settings: ['-c', `gpg.program=${program}`, '-c', `user.signingkey=${fingerprint}`],
  };
}

function signedCommit(repository: string, { settings }: Key, files: Readonly<Record<string, string>>): void {
  writeFiles(repository, files);
  git(repository, 'add', '--all');
  git(repository, ...settings, 'commit', '--quiet', '--allow-empty', '-S', '-m', 'Signed');
}

describe.each([
  ['ssh', sshKey],
  ['gpg', gpgKey],
] as const)('a commit signed with %s', (method, newKey) => {
  it('has a signer, and is rejected if the signer changes', async () => {
    const [repository, machine, key, other] = [newRepository(FILES), newMachine(), newKey(), newKey()];
    const source = `git+file://${repository}`;
    const settings = { require: ['signed'], signers: [key.text] } as const;
    await expect(from(source, machine, settings)).rejects.toThrow('has no signature that can be checked');
    expect((await from(source, machine, { signers: [key.text] })).signer).toBeUndefined();

    signedCommit(repository, key, { 'skills/pdf/SKILL.md': skillText('pdf', 'Signed.') });
    const { signer } = await from(source, machine, settings);
    expect(signer).toEqual({ method, identity: key.fingerprint });
    writeFiles(machine.home, { 'ada.pub': key.text });
    expect((await from(source, machine, { require: ['signed'], signers: ['~/ada.pub'] })).signer).toEqual(signer);

    signedCommit(repository, other, { 'skills/pdf/SKILL.md': skillText('pdf', 'By another.') });
    await expect(from(source, machine, settings)).rejects.toThrow(method === 'ssh' ? 'not one of the "signers"' : 'no signature');
    await expect(from(source, machine, { signers: [key.text, other.text] }, { signer })).rejects.toMatchObject({
      message: expect.stringContaining(`was signed by ${key.fingerprint}, and now by ${other.fingerprint}`),
      action: expect.stringContaining('footbridge add'),
    });
    commit(repository, { 'skills/pdf/SKILL.md': skillText('pdf', 'Unsigned.') });
    await expect(from(source, machine, {}, { signer })).rejects.toThrow('and now is not signed');
  });

  it('is verified by its tag, and rejected when it was changed after signing', async () => {
    const [repository, machine, key] = [newRepository(FILES), newMachine(), newKey()];
    git(repository, ...key.settings, 'tag', '-s', '-m', 'Release', 'v1');
    const found = await from(`git+file://${repository}#v1`, machine, { require: ['signed'], signers: [key.text] });
    expect(found.signer).toEqual({ method, identity: key.fingerprint });
    const locked = { check: trustCheck({ settings: { signers: [key.text] }, surroundings: machine.surroundings, before: found }) };
    expect((await get(`git+file://${repository}#v1`, newMachine(), { pin: found.pin, ...locked })).signer).toEqual(found.signer);

    git(repository, 'update-ref', 'refs/tags/v2', git(repository, 'rev-parse', 'v1'));
    await expect(from(`git+file://${repository}#v2`, machine, {})).rejects.toThrow('The tag v2 has the signature of another tag, v1.');

    signedCommit(repository, key, {});
    const text = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: repository })
      .toString('latin1')
      .replace('\nSigned\n', '\nForged\n');
    const forged = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], {
      cwd: repository,
      input: Buffer.from(text, 'latin1'),
    });
    git(repository, 'update-ref', 'refs/heads/main', forged.toString().trim());
    await expect(from(`git+file://${repository}`, machine, { signers: [key.text] })).rejects.toThrow(
      'signature of the commit or tag is not valid',
    );
  });
});

it('settings of the repository and the user do not affect the verification', async () => {
  const [repository, machine] = [newRepository(FILES), newMachine()];
  const mark = join(machine.home, 'ran');
  const program = join(machine.home, 'evil.sh');
  writeFiles(machine.home, {
    'evil.sh': `#!/bin/sh\ntouch ${mark}\n`,
    '.gitconfig': `[gpg]\n\tprogram = ${program}\n[gpg "ssh"]\n\tprogram = ${program}\n`,
  });
  chmodSync(program, 0o755);
  const key = sshKey();
  signedCommit(repository, key, {});
  expect((await from(`git+file://${repository}`, machine, {})).signer).toEqual({ method: 'ssh', identity: key.fingerprint });
  expect(() => readFileSync(mark)).toThrow();
});

describe('the provenance of an npm package', () => {
  const WORKFLOW = 'https://github.com/ada/skills/.github/workflows/publish.yml';

  /** A registry with one package, as npm answers. */
  async function registryWith(attestation: (digest: string) => Promise<object | undefined>) {
    const { content } = archiveLayer({ 'package/skills/pdf/SKILL.md': skillText('pdf'), 'package/package.json': '{}' });
    const sha512 = createHash('sha512').update(content).digest();
    const bundle = await attestation(sha512.toString('hex'));
    const url = await serveOver((request, response) => {
      const base = `http://${request.headers.host}`;
      const dist = {
        tarball: `${base}/skills.tgz`,
        integrity: `sha512-${sha512.toString('base64')}`,
        ...(bundle === undefined ? {} : { attestations: { url: `${base}/attestations`, provenance: {} } }),
      };
      if (request.url === '/skills.tgz') response.end(content);
      else if (request.url === '/attestations')
        response.end(JSON.stringify({ attestations: [{ predicateType: 'https://slsa.dev/provenance/v1', bundle }] }));
      else response.end(JSON.stringify({ name: 'skills', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': { dist } } }));
    });
    const machine = newMachine();
    writeFiles(machine.home, { '.npmrc': `registry=${url}/\n` });
    return machine;
  }

  const statement = (sha512: string, name = 'pkg:npm/skills@1.0.0') => ({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name, digest: { sha512 } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {},
  });

  it('names the workflow that built it', async () => {
    const sigstore = await newSigstore();
    const machine = await registryWith((digest) => sigstore.signStatement(`${WORKFLOW}@refs/tags/v1.0.0`, statement(digest)));
    const settings = { require: ['signed'], sigstoreRoot: sigstore.root, signers: ['https://github.com/ada/*'] } as const;
    expect((await from('npm:skills', machine, settings)).signer).toEqual({
      method: 'sigstore',
      identity: WORKFLOW,
      issuer: 'https://issuer.example.org',
    });
    await expect(from('npm:skills', machine, {})).rejects.toThrow('Sigstore signature is not valid');
  });

  it('is rejected if it is about another package, or was changed', async () => {
    const sigstore = await newSigstore();
    const settings = { sigstoreRoot: sigstore.root };
    for (const other of [(digest: string) => statement(digest, 'pkg:npm/other@1.0.0'), () => statement('00')]) {
      const machine = await registryWith((digest) => sigstore.signStatement(WORKFLOW, other(digest)));
      await expect(from('npm:skills', machine, settings)).rejects.toThrow('about another package');
    }
    const machine = await registryWith(async (digest) => {
      const bundle = await sigstore.signStatement(WORKFLOW, statement('00'));
      const payload = Buffer.from(JSON.stringify(statement(digest))).toString('base64');
      return { ...bundle, dsseEnvelope: { ...('dsseEnvelope' in bundle && Object(bundle.dsseEnvelope)), payload } };
    });
    await expect(from('npm:skills', machine, settings)).rejects.toThrow('signature is not valid');
  });

  it('is not required unless signatures are', async () => {
    const machine = await registryWith(async () => undefined);
    expect((await from('npm:skills', machine, {})).signer).toBeUndefined();
    await expect(from('npm:skills', machine, { require: ['signed'] })).rejects.toThrow('"trust" requires one');
  });
});

describe('a scanner', () => {
  /** Reports each file that contains `evil`. */
  const SCANNER = `import { readdirSync, readFileSync } from 'node:fs';
const [folder] = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const found = files.filter((entry) => readFileSync(entry.parentPath + '/' + entry.name, 'utf8').includes('evil'));
const results = found.map((entry) => ({ ruleId: 'evil', level: 'error', message: { text: 'evil in ' + entry.name } }));
console.log(JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'test' } }, results: [...results, { ruleId: 'note', message: { text: 'x' } }] }] }));
process.exit(results.length);`;

  it('gets the files and can reject them, and then nothing is stored', async () => {
    const machine = newMachine();
    writeFiles(machine.home, { 'scan.mjs': SCANNER, 'good/SKILL.md': skillText('good'), 'bad/SKILL.md': skillText('bad', 'Be evil.') });
    const settings = { scan: [process.execPath, './scan.mjs'] };
    const good = await from('./good', machine, settings);
    expect(machine.store.has(good.content)).toBe(true);
    await expect(from('./bad', machine, settings)).rejects.toThrow('refuses it: evil in SKILL.md');
  });

  it('that fails rejects everything', async () => {
    const machine = newMachine();
    writeFiles(machine.home, { 'good/SKILL.md': skillText('good') });
    await expect(from('./good', machine, { scan: [process.execPath, '-e', '0'] })).rejects.toThrow('did not report a result');
    await expect(from('./good', machine, { scan: ['no-such-scanner'] })).rejects.toThrow('cannot be started');
  });
});

it('an invalid key of a signer is reported with its file', async () => {
  const machine = newMachine();
  mkdirSync(join(machine.home, 'good'));
  const broken = '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n';
  writeFiles(machine.home, { 'good/SKILL.md': skillText('good'), 'no.pub': 'nothing', 'no.pem': broken });
  await expect(from('./good', machine, { signers: ['./no.pub'] })).rejects.toThrow('./no.pub has no public key');
  await expect(from('./good', machine, { signers: ['./no.pem'] })).rejects.toThrow('./no.pem has no public key');
  await expect(from('./good', machine, { signers: ['./missing.pub'] })).rejects.toThrow('./missing.pub cannot be read');
});
