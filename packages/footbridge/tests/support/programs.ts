/** The programs in the documentation: written to files, type-checked, started and queried. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { environment, RawClient } from './client.js';
import { type Block, type Page, repository, type Scene } from './documents.js';

/** In the repository, so that imports are found; named after this process, so that runs do not collide. */
export const workshop = join(repository, 'coverage', `documents-${process.pid}`);

/** Writes every program of the pages to a file and compiles all of them. Returns the errors. */
export function compilePrograms(pages: readonly Page[]): string {
  mkdirSync(workshop, { recursive: true });
  for (const { file, scenes } of pages)
    for (const { code } of scenes)
      if (code !== undefined) writeFileSync(join(workshop, `${nameOf(file, code)}${extensionOf(code)}`), code.code);
  const compilerOptions = { allowJs: true, checkJs: true, noEmit: false, rootDir: '.', outDir: 'compiled', paths: {} };
  writeFileSync(join(workshop, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, include: ['*'] }));
  const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [compiler, '-p', workshop], { encoding: 'utf8' }).stdout;
}

/** The file that is run: the source, or the output of the compiler. */
export function programOf(file: string, { code, command }: Scene): readonly string[] {
  if (code === undefined) return command;
  return [join(workshop, code.language === 'ts' ? 'compiled' : '', `${nameOf(file, code)}.mjs`)];
}

function nameOf(file: string, { line }: Block): string {
  return `${file.replace(/\W/g, '-')}-${line}`;
}

function extensionOf({ language }: Block): string {
  return language === 'ts' ? '.mts' : '.mjs';
}

/** A server that answers. */
export interface Peer {
  request(method: string, params: Record<string, unknown>): Promise<{ result?: Answer; error?: unknown }>;
}

/** Any JSON value. */
export type Answer = ReturnType<typeof JSON.parse>;

/** Runs a program to its end. Returns its output. */
export async function runScript(program: readonly string[], home: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, [...program], { cwd: repository, env: environment(home) })).stdout;
}

export async function startStdio([entry = '', ...args]: readonly string[], home: string): Promise<Peer> {
  const client = await RawClient.start({ script: entry, args, workingFolder: repository, home });
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}

/** Starts a program of a page that listens on the port that its code names; here on a free one. */
export async function startHttp([entry = '']: readonly string[], home: string): Promise<Peer> {
  const port = await freePort();
  writeFileSync(entry, readFileSync(entry, 'utf8').replace(/port: \d+/, `port: ${port}`));
  const child = spawn(process.execPath, [entry], { cwd: repository, env: environment(home), stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill());
  const peer: Peer = { request: (method, params) => post(`http://127.0.0.1:${port}/mcp`, method, params) };
  while (child.exitCode === null) {
    const answered = await peer.request('tools/list', {}).catch(() => undefined);
    if (answered !== undefined) return peer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the server does not listen');
}

async function post(url: string, method: string, params: Record<string, unknown>): Promise<{ result?: Answer; error?: unknown }> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    // The token in the examples that require one.
    authorization: 'Bearer demo',
  };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
  const body = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body);
}

/** A port that is not in use and that the system does not assign as a free one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
