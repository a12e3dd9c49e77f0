/** Worlds with hosts, and what `footbridge doctor` reports about them. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { command as builtCommand, environment, type Json, UNPRIVILEGED } from './client.js';
import { run } from './command.js';
import type { World } from './folders.js';

export interface Diagnosis {
  readonly code: number;
  /** The output for people, if it was requested. */
  readonly text?: string;
  readonly report: Json;
  /** Everything that was printed, in each format. */
  readonly all: string;
}

/** Runs `doctor --json`, without root's privilege to read any file. */
export async function diagnose(world: World, ...args: string[]): Promise<Diagnosis> {
  const { code, stderr, stdout } = await doctor(world, '--json', ...args);
  return { code, report: JSON.parse(stdout), all: `${stdout}\n${stderr}` };
}

/** Like `diagnose`, and runs `doctor` a second time for people. */
export async function diagnoseTwice(world: World, ...args: string[]): Promise<Diagnosis & { readonly text: string }> {
  const [people, scripts] = await Promise.all([doctor(world, ...args), diagnose(world, ...args)]);
  if (people.code !== scripts.code) throw new Error(`the two forms end differently: ${people.code} and ${scripts.code}`);
  return { ...scripts, text: people.stdout, all: [scripts.all, people.stdout, people.stderr].join('\n') };
}

/** Runs `doctor` for people, or as the arguments say, in a folder that is trusted. */
export async function doctor(world: World, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  await run(world, 'trust', '--yes');
  const [command = process.execPath, ...before] = [...UNPRIVILEGED, process.execPath];
  return new Promise((resolve) => {
    const options = { cwd: world.project, env: environment(world.home), maxBuffer: 2 ** 26 };
    execFile(command, [...before, builtCommand(), 'doctor', ...args], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1, stdout, stderr }),
    ).stdin?.end();
  });
}

/** The only finding with a code, and a place if given. Fails if it is missing, here or in the output for people. */
export function found({ report, text }: Diagnosis, code: string, place = ''): Json {
  const all = report.findings.filter((each: Json) => each.code === code && each.where.includes(place));
  if (all.length !== 1) throw new Error(`${all.length} findings are ${code}: ${JSON.stringify(report.findings, undefined, 2)}`);
  for (const part of text === undefined ? [] : [all[0].where, all[0].message, all[0].action, `  ${code}\n`])
    if (!untimed(text ?? '').includes(untimed(part))) throw new Error(`not said to people: ${part}\n${text}`);
  return all[0];
}

/** The two formats come from two runs, whose durations differ. */
function untimed(text: string): string {
  return text.replace(/[\d,]+ ms/g, '… ms');
}

/** Starts an unrelated HTTP server that gives every request the same response. Returns its port. */
export async function stranger(status = 200): Promise<number> {
  const server = createServer((_request, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<p>Hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A configuration in the shape that most hosts have. */
export function servers(entries: Readonly<Record<string, object>>): string {
  return JSON.stringify({ mcpServers: entries });
}
