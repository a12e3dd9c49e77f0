/** What is written for a case, and the commands that then run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Case, SkillCase } from '../case.js';
import type { Behaviour, HostileUpstream } from '../upstream.js';
import { jsonOf, textOf, type Value } from '../value.js';
import type { World } from '../world.js';
import { HOST_FILES, writeFiles, writeSkills } from './files.js';

export type BenchCase = Exclude<Case, { entry: 'stdio' | 'http' }>;

export interface Command {
  /** Whether a server does the same while hosts wait for answers. */
  readonly isServing: boolean;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

interface Prepared {
  readonly commands: readonly Command[];
  /** What answers may repeat. */
  readonly asked: string;
  readonly behaviour?: Behaviour;
}

export function prepare(
  given: BenchCase,
  folder: string,
  world: World,
  { upstream, relay }: { upstream: HostileUpstream; relay: string },
): Prepared {
  const at = { cwd: folder, home: world.home };
  const config = join(folder, 'case.json');
  const remote = { url: `http://127.0.0.1:${upstream.port}/mcp` };
  const ownState = { XDG_STATE_HOME: join(folder, 'state'), XDG_CONFIG_HOME: join(folder, 'config') };
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
            input: hostRequests([['list_skills', { query: textOf(given.query) }], ...crowdCalls(given)]),
          },
          { ...at, isServing: false, args: ['lint', join(folder, 'skills'), '--json'] },
        ],
      };
    }
    case 'upstream': {
      const server = given.transport === 'http' ? remote : { command: process.execPath, args: [relay, String(upstream.relayPort), 'key'] };
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
        behaviour: given,
        commands: [{ ...at, isServing: true, args: ['--config', config], input: hostRequests(calls) }],
      };
    }
    case 'tool-search': {
      writeFileSync(config, JSON.stringify({ standardFolders: false, mcpServers: { up: remote }, toolSearch: true }));
      const calls = given.calls.map((call): [string, Value] => [call.name, call.arguments]);
      return {
        asked: JSON.stringify(given),
        behaviour: { answers: { 'tools/list': given.listed } },
        commands: [{ ...at, isServing: true, args: ['--config', config], input: hostRequests(calls) }],
      };
    }
    case 'sign-in': {
      const oauth = given.grant === 'client_credentials' ? { grant: given.grant, clientId: 'fuzz', clientSecretEnv: 'FUZZ_PASSWORD' } : {};
      writeFileSync(config, JSON.stringify({ standardFolders: false, mcpServers: { up: { ...remote, oauth } } }));
      const calls: [string, Value][] = [
        ['sign_in_to_up', {}],
        ['echo', { text: 'x' }],
      ];
      return {
        asked: JSON.stringify(given),
        behaviour: given,
        commands: [{ ...at, env: ownState, isServing: true, args: ['--config', config], input: hostRequests(calls) }],
      };
    }
    case 'source': {
      const host = `127.0.0.1:${upstream.port}`;
      const source = given.source.replace('{site}', `http://${host}`).replace('{host}', host);
      const env = { ...ownState, npm_config_registry: `http://${host}/` };
      writeFileSync(config, JSON.stringify({ standardFolders: false }));
      const asked = writeFiles(given.files, folder);
      return {
        asked: `${asked}\n${JSON.stringify(given)}`,
        behaviour: { site: given.site },
        commands: [
          { ...at, env, isServing: false, args: ['add', source, '--yes', '--servers', '--json', '--config', config] },
          { ...at, env, isServing: false, args: ['outdated', '--json', '--config', config] },
          { ...at, env, isServing: true, args: ['--config', config], input: hostRequests([['list_skills', {}]]) },
        ],
      };
    }
    case 'lock': {
      const text = textOf(given.text);
      const served = { skills: ['./skills'], ...(given.isLocked ? { locked: true } : { sources: ['./team'] }) };
      writeFileSync(config, JSON.stringify({ standardFolders: false, ...served }));
      writeFileSync(join(folder, 'footbridge.lock'), text);
      writeFiles([{ path: 'first/SKILL.md', text: '---\nname: first\ndescription: x\n---\n' }], join(folder, 'skills'));
      return {
        asked: text,
        commands: [
          { ...at, env: ownState, isServing: true, args: ['--config', config], input: hostRequests([['list_skills', {}]]) },
          { ...at, env: ownState, isServing: false, args: ['verify', '--json', '--config', config] },
        ],
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

/** Fifty files of a crowded folder, and fifty that are missing beside it. */
function crowdCalls({ crowd = 0 }: SkillCase): readonly (readonly [string, Value])[] {
  if (crowd === 0) return [];
  const uris = (name: string): Value => Array.from({ length: 50 }, (_, index) => `skill://first/${name}/${index}.md`);
  return [
    ['get_resources', { uris: uris('crowd') }],
    ['get_resources', { uris: uris('none') }],
  ];
}

const ROLE = { skills: ['*'], resources: ['docs://*', '*://{a}*b'], tools: ['e*', 'skill'], prompts: ['*'] };

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
