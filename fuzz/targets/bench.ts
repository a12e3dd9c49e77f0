/** Commands in one process: serving hostile skills, an upstream, a configuration, and the files of hosts. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { ConfigCase, HostCase, SkillCase, UpstreamCase } from '../case.js';
import { invalidMessage, leaksIn } from '../checks.js';
import type { HostileUpstream } from '../upstream.js';
import { jsonOf, textOf, type Value } from '../value.js';
import type { World } from '../world.js';
import { Program, type Turn } from './program.js';
import type { Places, Target } from './target.js';

export type BenchCase = SkillCase | UpstreamCase | ConfigCase | HostCase;

/** A command that ends gives no other answer: it only must end soon. */
const COMMAND_TURN_MS = 2000;

interface Command {
  /** Whether a server does the same while hosts wait for answers. */
  readonly isServing: boolean;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly input?: string;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

export async function startBench(world: World, { bench, probe, relay }: Places, upstream: HostileUpstream): Promise<Target<BenchCase>> {
  const program = new Program({ args: [bench], cwd: world.project, env: world.env, probe });
  await program.ask({ hello: true }, (answer) => answer['ready'], 20_000);
  const command = (run: Command, timeoutMs: number) =>
    program.ask<Ended>(
      { run: { env: {}, input: '', answers: run.input?.trimEnd().split('\n').length ?? 0, ...run } },
      (answer) => answer['ran'],
      timeoutMs,
    );
  return {
    program,
    async run(given, timeoutMs) {
      const folder = world.fresh();
      upstream.become(given.entry === 'upstream' ? given : undefined);
      const { commands, asked } = prepare(given, folder, world, { upstream, relay });
      const problems: string[] = [];
      let turn: Turn = { cpu: 0, wall: 0 };
      for (const each of commands) {
        const ended = await command(each, timeoutMs);
        const words = each.args[0] ?? 'serve';
        if (ended === undefined) {
          if (!program.isOver) problems.push(`${words} did not end`);
          break;
        }
        problems.push(...problemsOf(ended, each, asked, world));
        const longest = (await program.turn(timeoutMs)) ?? turn;
        if (each.isServing) turn = longest;
        else if (longest.cpu > COMMAND_TURN_MS) problems.push(`${words} computed for ${Math.round(longest.cpu)} ms in one turn`);
      }
      upstream.become(undefined);
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
      return { problems, turn };
    },
  };
}

function problemsOf({ code, out, errors }: Ended, { input }: Command, asked: string, world: World): string[] {
  const problems = [out, errors].flatMap((text) => leaksIn(text, asked, world, true));
  if (![0, 1, 2].includes(code)) problems.push(`exit code ${code}`);
  if (input === undefined) return problems;
  const answers = new Map<unknown, number>();
  for (const line of out.split('\n')) {
    if (line === '') continue;
    try {
      const message: { id?: unknown; method?: unknown } = JSON.parse(line);
      const wrong = invalidMessage(message);
      if (wrong !== undefined) problems.push(`not a JSON-RPC message (${wrong}): ${line.slice(0, 200)}`);
      if (message.method === undefined) answers.set(message.id, (answers.get(message.id) ?? 0) + 1);
    } catch {
      problems.push(`a line that is not JSON: ${line.slice(0, 200)}`);
    }
  }
  for (const line of code === 0 ? input.split('\n') : []) {
    const [, id, method] = /"id":(\d+),"method":"([^"]+)"/.exec(line) ?? [];
    const count = answers.get(Number(id)) ?? 0;
    if (id !== undefined && count !== 1) problems.push(`${count} answers to ${method}`);
  }
  return problems;
}

interface Prepared {
  readonly commands: readonly Command[];
  /** What answers may repeat. */
  readonly asked: string;
}

function prepare(
  given: BenchCase,
  folder: string,
  world: World,
  { upstream, relay }: { upstream: HostileUpstream; relay: string },
): Prepared {
  const at = { cwd: folder, home: world.home };
  const config = join(folder, 'case.json');
  switch (given.entry) {
    case 'skill': {
      const asked = writeSkills(given, join(folder, 'skills'));
      writeFileSync(config, JSON.stringify({ standardFolders: false, skills: ['./skills'] }));
      return {
        asked,
        commands: [
          {
            ...at,
            isServing: true,
            args: ['--config', config, '--prompts'],
            input: hostRequests([['list_skills', { query: textOf(given.query) }]]),
          },
          { ...at, isServing: false, args: ['lint', join(folder, 'skills'), '--json'] },
        ],
      };
    }
    case 'upstream': {
      const server =
        given.transport === 'http'
          ? { url: `http://127.0.0.1:${upstream.port}/mcp` }
          : { command: process.execPath, args: [relay, String(upstream.relayPort), 'key'] };
      const roles = { http: { roles: { reader: ROLE } }, identity: { name: 'fuzz', roles: ['reader'] } };
      writeFileSync(
        config,
        JSON.stringify({
          standardFolders: false,
          skills: [join(world.project, 'skills')],
          mcpServers: { up: server },
          ...(given.hasRoles ? roles : {}),
        }),
      );
      const calls: [string, Value][] = [
        ['get_resource', {}],
        ['get_resource', { uri: 'docs://one' }],
        ['get_resource', { uri: 'docs://a/b' }],
        ['get_prompt', {}],
        ['echo', { text: 'x' }],
      ];
      return {
        asked: jsonOf(given.answers as Value),
        commands: [{ ...at, isServing: true, args: ['--config', config], input: hostRequests(calls) }],
      };
    }
    case 'config': {
      const text = textOf(given.text);
      writeFileSync(config, text);
      return { asked: text, commands: [{ ...at, isServing: true, args: ['lint', '--config', config, '--json'] }] };
    }
    case 'host': {
      const text = textOf(given.text);
      const names = HOST_FILES[given.host] ?? [];
      for (const name of names) {
        const file = name.startsWith('~/') ? join(world.home, name.slice(2)) : join(folder, name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      const scope = names.some((name) => name.startsWith('~/')) ? ['--global'] : [];
      return {
        asked: text,
        commands: [
          { ...at, isServing: false, args: ['install', '--host', given.host, '--dry-run', '--json', '--wrap', 'all', ...scope] },
          { ...at, isServing: false, args: ['doctor', '--host', given.host, '--json', '--timeout', '1'] },
        ],
      };
    }
  }
}

const ROLE = { skills: ['*'], resources: ['docs://*', '*://{a}*b'], tools: ['e*', 'skill'], prompts: ['*'] };

/** The configuration of hosts, in a project or in the home, in three formats. */
export const HOST_FILES: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['.mcp.json'],
  cursor: ['.cursor/mcp.json'],
  vscode: ['.vscode/mcp.json'],
  opencode: ['opencode.json', 'opencode.jsonc'],
  'gemini-cli': ['.gemini/settings.json'],
  zed: ['.zed/settings.json'],
  codex: ['~/.codex/config.toml'],
  goose: ['~/.config/goose/config.yaml'],
};

/** Writes what lies inside the folder, and nothing else. Returns what answers may repeat. */
function writeSkills({ files, links, folders }: SkillCase, folder: string): string {
  mkdirSync(join(folder, 'first'), { recursive: true });
  const asked: string[] = [];
  for (const { path, text } of files) {
    const [name, content] = [textOf(path), textOf(text)];
    asked.push(name, content);
    attempt(folder, name, (file) => writeFileSync(file, content));
  }
  for (const { path, target } of links) attempt(folder, textOf(path), (file) => symlinkSync(textOf(target), file));
  for (let index = 0; index < folders; index++) mkdirSync(join(folder, 'first', `folder-${index}`), { recursive: true });
  return asked.join('\n');
}

function attempt(folder: string, name: string, write: (file: string) => void): void {
  const file = resolve(folder, name);
  if (!file.startsWith(folder + sep)) return;
  try {
    mkdirSync(dirname(file), { recursive: true });
    write(file);
  } catch {
    // A name that the file system does not have.
  }
}

/** What a host asks of everything that it is offered, and these calls of tools. */
function hostRequests(calls: readonly (readonly [string, Value])[]): string {
  const requests: [string, Value][] = [
    ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } }],
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['skills/list', {}],
    ['resources/read', { uri: 'docs://one' }],
    ['resources/read', { uri: 'skill://first/SKILL.md' }],
    ['completion/complete', { ref: { type: 'ref/resource', uri: 'docs://{section}/{page}' }, argument: { name: 'page', value: 'o' } }],
    ['prompts/get', { name: 'review', arguments: { file: 'x' } }],
    ...['skill', 'get_skill', 'list_skills'].map((name): [string, Value] => [
      'tools/call',
      { name, arguments: name === 'skill' ? { name: 'first' } : {} },
    ]),
    ...calls.map(([name, args]): [string, Value] => ['tools/call', { name, arguments: args }]),
    ['ping', {}],
  ];
  return `${requests.map(([method, params], index) => jsonOf({ jsonrpc: '2.0', id: index + 1, method, params })).join('\n')}\n`;
}
