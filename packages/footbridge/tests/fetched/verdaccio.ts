/** An npm registry for a test: verdaccio on loopback, with a store of its own, no uplinks, and one user. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import type { Json } from '../support/client.js';
import { freePort } from '../support/programs.js';
import { tar } from './archive-writers.js';
import { type Files, temporaryFolder, writeFiles } from './support.js';

const VERDACCIO = join(import.meta.dirname, '..', 'npm', 'node_modules', 'verdaccio', 'bin', 'verdaccio');

export interface NpmRegistry {
  readonly url: string;
  /** The lines of `.npmrc` that name the registry. */
  readonly anonymous: string;
  /** And sign in to it. */
  readonly login: string;
  /** By `npm publish`, which takes longer than `publish`. */
  publishByNpm(name: string, version: string, files: Files): Promise<void>;
  /** By the request that `npm publish` sends. */
  publish(name: string, version: string, files: Files, tag?: string): Promise<void>;
  /** Removes a package, which most registries do not allow. */
  unpublish(name: string): Promise<void>;
  /** Changes the bytes of a tarball where the registry keeps them. */
  tamper(name: string, version: string): void;
  stop(): Promise<void>;
}

/** Packages of the scope `@private` are only for the user. */
const CONFIG = `storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
uplinks: {}
packages:
  '@private/*':
    access: $authenticated
    publish: $authenticated
    unpublish: $authenticated
  '**':
    access: $all
    publish: $authenticated
    unpublish: $authenticated
web:
  enable: false
log: { type: stdout, format: json, level: error }
`;

/** Ends with the test. */
export async function startNpmRegistry(): Promise<NpmRegistry> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  writeFileSync(join(folder, 'config.yaml'), CONFIG);
  const words = [VERDACCIO, '--config', join(folder, 'config.yaml'), '--listen', `127.0.0.1:${port}`];
  const child = spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  const user = await fetch(`${url}/-/user/org.couchdb.user:ada`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ada', password: 'secret-9f31' }),
  });
  expect(user.status).toBe(201);
  const { token }: Json = await user.json();
  const anonymous = `registry=${url}/\n`;
  const login = `${anonymous}//127.0.0.1:${port}/:_authToken=${token}\n`;
  const send = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    expect(answer.status, `${method} ${path}: ${await answer.text()}`).toBe(201);
  };
  return {
    url,
    anonymous,
    login,
    stop,
    async publishByNpm(name, version, files) {
      const own = temporaryFolder();
      writeFiles(own, { ...files, 'package.json': JSON.stringify({ name, version }) });
      writeFileSync(join(folder, '.npmrc'), `${login}cache=${join(folder, 'cache')}\nupdate-notifier=false\n`);
      const env = { PATH: process.env['PATH'], HOME: folder, USERPROFILE: folder };
      await promisify(execFile)('npm', ['publish'], { cwd: own, env, shell: process.platform === 'win32' });
    },
    async publish(name, version, files, tag = 'latest') {
      const all = { ...files, 'package.json': JSON.stringify({ name, version }) };
      const tarball = gzipSync(tar(...Object.entries(all).map(([path, content]) => ({ name: `package/${path}`, content }))));
      const file = `${name}-${version}.tgz`;
      const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
      const shasum = createHash('sha1').update(tarball).digest('hex');
      const dist = { integrity, shasum, tarball: `${url}/${name}/-/${file}` };
      await send('PUT', name.replace('/', '%2f'), {
        _id: name,
        name,
        'dist-tags': { [tag]: version },
        versions: { [version]: { _id: `${name}@${version}`, name, version, dist } },
        _attachments: {
          [file]: { content_type: 'application/octet-stream', data: tarball.toString('base64'), length: tarball.length },
        },
      });
    },
    unpublish: (name) => send('DELETE', `${name.replace('/', '%2f')}/-rev/1`),
    tamper(name, version) {
      const file = join(folder, 'storage', name, `${name.split('/').at(-1)}-${version}.tgz`);
      const bytes = readFileSync(file);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(file, bytes);
    },
  };
}
