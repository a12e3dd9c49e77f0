/** Worlds with hosts in them, and what `footbridge doctor` says of them. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { command as builtCommand, environment, type Json, UNPRIVILEGED } from './client.js';
import { run } from './command.js';
import type { World } from './folders.js';

export interface Diagnosis {
  readonly code: number;
  /** What people read, where they were asked. */
  readonly text?: string;
  readonly report: Json;
  /** All that was printed, in each form. */
  readonly all: string;
}

/** Runs `doctor` for scripts, without the right of root to read what it may not. */
export async function diagnose(world: World, ...args: string[]): Promise<Diagnosis> {
  const { code, stderr, stdout } = await doctor(world, '--json', ...args);
  return { code, report: JSON.parse(stdout), all: `${stdout}\n${stderr}` };
}

/** As `diagnose`, and for people too: all is looked at twice. */
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

/** The one finding of a code, at a place if one is given, which has to be there, and in what people read. */
export function found({ report, text }: Diagnosis, code: string, place = ''): Json {
  const all = report.findings.filter((each: Json) => each.code === code && each.where.includes(place));
  if (all.length !== 1) throw new Error(`${all.length} findings are ${code}: ${JSON.stringify(report.findings, undefined, 2)}`);
  for (const part of text === undefined ? [] : [all[0].where, all[0].message, all[0].action, `  ${code}\n`])
    if (!untimed(text ?? '').includes(untimed(part))) throw new Error(`not said to people: ${part}\n${text}`);
  return all[0];
}

/** The two forms are of two runs, which take their time. */
function untimed(text: string): string {
  return text.replace(/[\d,]+ ms/g, '… ms');
}

/** Listens on this machine, answers all with one status and page, and knows nothing of us; its port. */
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
