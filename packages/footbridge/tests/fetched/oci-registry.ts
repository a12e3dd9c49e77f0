/** Debian's docker-registry for a test, and what `oras push` would put into it. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { freePort } from '../support/programs.js';
import { type Files, temporaryFolder, writeFiles } from './support.js';

export interface TestRegistry {
  /** Host and port. */
  readonly name: string;
  /** Where the bytes of a blob are. */
  fileOf(digest: string): string;
  /** Returns the digest. */
  push(repository: string, tag: string, artifact: TestArtifact): Promise<string>;
  stop(): Promise<void>;
}

export interface TestLayer {
  readonly content: Uint8Array;
  readonly mediaType: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface TestArtifact {
  readonly layers: readonly TestLayer[];
  readonly artifactType?: string;
}

/** Ends with the test. With a login, it asks for it. */
export async function startRegistry(program: string, { login = '' } = {}): Promise<TestRegistry> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const passwords = join(folder, 'htpasswd');
  writeFileSync(passwords, login);
  const auth = login === '' ? '' : `auth:\n  htpasswd:\n    realm: test\n    path: ${passwords}\n`;
  const config = join(folder, 'config.yml');
  writeFileSync(
    config,
    `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${folder}/data\nhttp:\n  addr: 127.0.0.1:${port}\n${auth}`,
  );
  const child = spawn(program, ['serve', config], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(
      () =>
        fetch(`${url}/v2/`).then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 20_000 },
    )
    .toBeGreaterThan(0);
  return {
    name: `127.0.0.1:${port}`,
    fileOf: (digest) => join(folder, 'data/docker/registry/v2/blobs/sha256', digest.slice(7, 9), digest.slice(7), 'data'),
    push: (repository, tag, artifact) => push(`${url}/v2/${repository}`, tag, artifact),
    stop,
  };
}

async function push(url: string, tag: string, { artifactType, layers }: TestArtifact): Promise<string> {
  const empty = await upload(url, { content: Buffer.from('{}'), mediaType: 'application/vnd.oci.empty.v1+json' });
  const descriptors = [];
  for (const layer of layers) descriptors.push(await upload(url, layer));
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST,
    ...(artifactType === undefined ? {} : { artifactType }),
    config: empty,
    layers: descriptors,
  });
  const digest = digestOf(Buffer.from(manifest));
  const reference = tag === '' ? digest : tag;
  const answer = await fetch(`${url}/manifests/${reference}`, { method: 'PUT', headers: { 'content-type': MANIFEST }, body: manifest });
  expect(answer.status).toBe(201);
  return digest;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

async function upload(url: string, { annotations, content, mediaType }: TestLayer) {
  const begun = await fetch(`${url}/blobs/uploads/`, { method: 'POST' });
  const place = new URL(begun.headers.get('location') ?? '', url);
  const digest = digestOf(content);
  place.searchParams.set('digest', digest);
  const answer = await fetch(place, { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: Buffer.from(content) });
  expect(answer.status).toBe(201);
  return { mediaType, digest, size: content.length, ...(annotations === undefined ? {} : { annotations }) };
}

export function digestOf(content: Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** A layer with these files as `.tar.gz`. */
export function archiveLayer(files: Files): TestLayer {
  const folder = temporaryFolder();
  writeFiles(join(folder, 'files'), files);
  execFileSync('tar', ['-czf', join(folder, 'files.tgz'), '-C', join(folder, 'files'), '.']);
  return { content: readFileSync(join(folder, 'files.tgz')), mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' };
}
