/** `footbridge.json`: its effects, and how an invalid file is rejected. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables as the file has them
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Catalog, createServer, defineResource, defineResources } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findConfig } from '../src/cli/config/index.js';
import { loadConfig } from '../src/cli/config/load.js';
import { configJsonSchema } from '../src/cli/config/schema.js';
import type { Json } from './support/client.js';
import { ioOf, run, runWith } from './support/command.js';
import { textOfDocument } from './support/documents.js';
import { createWorld, type World } from './support/folders.js';
import { connect } from './support/memory.js';
import { serveHere } from './support/serve-here.js';

const DIGEST = 'a'.repeat(64);

/** A world whose working folder has this configuration. */
function configured(config: unknown, name = 'project/footbridge.json'): World {
  const world = createWorld();
  world.write(name, typeof config === 'string' ? config : JSON.stringify(config));
  return world;
}

async function namesIn(world: World, ...args: string[]): Promise<string[]> {
  const { stdout, stderr } = await run(world, 'list', '--json', ...args);
  expect(stderr).toBe('');
  return JSON.parse(stdout)
    .skills.map(({ name }: { name: string }) => name)
    .sort();
}

describe('a configuration', () => {
  it('adds skill folders to the standard ones and to --skills; ~ is the home folder', async () => {
    const world = configured({ skills: ['./team', '~/mine'] });
    for (const folder of ['project/.agents/skills/standard', 'project/team/one', 'home/mine/two', 'outside/named/three'])
      world.skill(folder);
    const named = ['--config', 'footbridge.json'];
    expect(await namesIn(world, ...named, '--skills', world.path('outside/named'))).toEqual(['one', 'standard', 'three', 'two']);
    const host = await serveHere(world, ...named, '--skills', world.path('outside/named'));
    const { structuredContent } = await host.call('list_skills', {});
    expect(structuredContent.skills.map(({ name, origin }: { name: string; origin: string }) => `${name} ${origin}`).sort()).toEqual([
      'one ./team',
      'standard ./.agents/skills',
      `three ${world.path('outside/named')}`,
      'two ~/mine',
    ]);
    world.write('project/footbridge.json', '{ "skills": ["~"], "standardFolders": false }');
    expect(await namesIn(world, ...named)).toEqual(['two']);
  });

  it('resolves relative folders from the file of --config, over stdio and at the command line', async () => {
    const world = configured({ skills: ['team', '../elsewhere'] }, 'outside/conf/other.json');
    world.write('project/footbridge.json', '{ "skills": 7 }');
    world.skill('outside/conf/team/one');
    world.skill('outside/elsewhere/two');
    expect(await namesIn(world, '--config', '../outside/conf/other.json')).toEqual(['one', 'two']);
    const host = await serveHere(world, '--config', world.path('outside/conf/other.json'));
    expect((await host.call('list_skills', {})).structuredContent.skills).toHaveLength(2);
  });

  it('omits the standard folders', async () => {
    const world = configured({ standardFolders: false, skills: ['team'] });
    world.skill('project/.agents/skills/standard');
    world.skill('home/.claude/skills/personal');
    world.skill('project/team/one');
    expect(await namesIn(world)).toEqual(['one']);
  });

  it('disables tools, and surface lists the others', async () => {
    const world = configured({ tools: { get_resources: false, skill: true } });
    world.skill('project/.agents/skills/one');
    const host = await serveHere(world);
    const { tools } = (await host.request('tools/list')).result;
    const left = ['skill', 'list_skills', 'get_skill', 'get_resource'];
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(left);
    await expect(host.call('get_resources', { uris: [] })).rejects.toThrow("Unknown tool 'get_resources'");
    const surface = await run(world, 'surface', '--json');
    expect(surface.stdout).toContain('"get_resource"');
    expect(surface.stdout).not.toContain('"get_resources"');
  });

  it.each([
    [{ name: 'me', roles: ['reader', 'admin'] }, false],
    [{ name: 'me', roles: ['reader'] }, true],
    [{ name: 'me' }, true],
  ])('serves over stdio as %j', async (identity, refused) => {
    const world = configured({ identity });
    world.skill('project/.agents/skills/one');
    expect((await (await serveHere(world)).call('skill', { name: 'one' })).isError).not.toBe(true);
    // None of the skills is for admins alone, so what a server of the same configuration does shows the difference.
    const secret = defineResource({ uri: 'admin://x', name: 'x', requiresAdmin: true, read: () => 'secret' });
    const catalog = await Catalog.open([defineResources([secret])]);
    onTestFinished(() => catalog.close());
    const config = await findConfig(world.path('project/footbridge.json'), ioOf(world));
    const client = await connect(createServer({ catalog, tools: config.tools, identity: config.identity }));
    expect((await client.call('get_resource', { uri: 'admin://x' })).isError === true).toBe(refused);
  });

  it('passes on http, with digests and hosts in lower case', async () => {
    const http = {
      tokens: [
        { name: 'ops', sha256: 'AB'.repeat(32), roles: ['admin'] },
        { name: 'other', sha256: DIGEST },
      ],
      oauth: {
        issuer: 'https://id.example.org',
        audience: ['footbridge', 'other'],
        jwksUri: 'http://127.0.0.1:8080/keys',
        rolesClaim: 'realm.roles',
        algorithms: ['RS256', 'PS512', 'ES384', 'EdDSA', 'Ed25519'],
      },
      roles: { reader: { skills: ['*'], resources: ['docs://**'], tools: ['get_*'] }, nobody: {} },
      limits: { callsPerMinute: 1, burst: 2, concurrent: 3, bodyBytes: 4, sessions: 5, subscriptions: 6 },
      publicUrl: 'https://mcp.example.org/footbridge',
      hosts: ['MCP.example.org'],
      origins: ['https://app.example.org:8443', 'vscode-webview://abc'],
    };
    const world = configured({ http });
    const config = await findConfig(world.path('project/footbridge.json'), ioOf(world));
    expect(config.http).toEqual({
      ...http,
      tokens: [{ name: 'ops', sha256: 'ab'.repeat(32), roles: ['admin'] }, http.tokens[1]],
      hosts: ['mcp.example.org'],
    });
  });

  it('reads mcpServers as hosts do, in order, without disabled ones', async () => {
    const settings = {
      include: { tools: ['get_*'], resources: ['docs://**'], prompts: [], skills: ['*'] },
      exclude: { tools: ['get_secret'] },
      resources: [{ match: 'admin://**', requiresAdmin: true, category: 'admin' }, { match: '*' }],
      isolation: 'caller',
      prefix: '',
      startTimeoutMs: 600_000,
    };
    const world = configured(
      {
        mcpServers: {
          zed: {
            type: 'stdio',
            command: 'npx',
            args: ['-y', 'zed@${ZED_VERSION:-1}'],
            env: { KEY: '${ZED_KEY}', EMPTY: '' },
            cwd: './zed',
          },
          off: { command: 'node', disabled: true },
          'a.b-c_d': { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer ${ZED_KEY}' }, ...settings },
          old: { type: 'sse', url: 'http://127.0.0.1:1/sse', disabled: false },
          home: { command: 'node', cwd: '~/x' },
        },
      },
      'outside/conf/other.json',
    );
    const { mcpServers } = await findConfig(world.path('outside/conf/other.json'), ioOf(world, { env: { ZED_KEY: 'hush' } }));
    expect(Object.keys(mcpServers)).toEqual(['zed', 'a.b-c_d', 'old', 'home']);
    expect(mcpServers).toEqual({
      zed: { command: 'npx', args: ['-y', 'zed@1'], env: { KEY: 'hush', EMPTY: '' }, cwd: world.path('outside/conf/zed') },
      'a.b-c_d': { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer hush' }, ...settings },
      old: { url: 'http://127.0.0.1:1/sse' },
      home: { command: 'node', cwd: world.path('home/x') },
    });
  });

  it('is logged at info, and reads at debug', async () => {
    const world = configured({});
    world.skill('project/.agents/skills/one');
    expect((await run(world, 'list', '--log-level', 'info')).stderr).toBe('footbridge info: configured by footbridge.json\n');
    expect((await run(world, 'read', 'skill://one/SKILL.md', '--log-level', 'debug')).stderr).toContain('skill://one/SKILL.md');
  });
});

describe('its syntax', () => {
  it('allows comments, trailing commas, a byte order mark and CRLF', async () => {
    const world = configured('\uFEFF{\r\n  // ours\r\n  "$schema": "x", "skills": ["./team", /* no more */],\r\n}\r\n');
    world.skill('project/team/one');
    expect(await namesIn(world)).toEqual(['one']);
  });

  it('substitutes environment variables, with defaults; $${ is an escape', async () => {
    const skills = ['${TEAM}', '${EMPTY:-b}', '${UNSET:-c}/${UNSET:-d}', './$${TEAM}', '${BOTH:-x}${UNSET:-}'];
    const world = configured({ skills, standardFolders: false });
    for (const folder of ['a/one', 'b/two', 'c/d/three', '${TEAM}/four', 'e/five', 'x/six']) world.skill(`project/${folder}`);
    const { stdout, stderr } = await runWith(world, { TEAM: 'a', EMPTY: '', BOTH: 'e' }, 'list', '--json');
    expect(stderr).toBe('');
    expect(
      JSON.parse(stdout)
        .skills.map(({ name }: { name: string }) => name)
        .sort(),
    ).toEqual(['five', 'four', 'one', 'three', 'two']);
  });

  it('does not substitute variables in keys, nor in values of variables', async () => {
    const world = configured({ skills: ['${TEAM}'], http: { roles: { '${ROLE}': {} } } });
    world.skill('project/${OTHER}/one');
    const { code, stderr, stdout } = await runWith(world, { TEAM: '${OTHER}' }, 'list', '--long');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('skill://one/SKILL.md');
  });
});

const token = (fields: object) => ({ http: { tokens: [{ name: 'ops', sha256: DIGEST, ...fields }] } });
const oauth = (fields: object) => ({ http: { oauth: { issuer: 'https://id.example.org', audience: 'a', ...fields } } });

const server = (fields: object, name = 'docs') => ({ mcpServers: { [name]: fields } });
const started = (fields: object) => server({ command: 'node', ...fields });
const remote = (fields: object) => server({ url: 'https://example.org/mcp', ...fields });

/** What is wrong, the file, its message with the place, and a part of what to do. */
const BAD: readonly (readonly [what: string, file: unknown, message: string, action: string])[] = [
  ['a typo', '{\n  "skils": []\n}', '2:3: skils: Unknown key "skils".', 'Did you mean "skills"?'],
  ['a key of nobody', '{ "zzzzzzzzz": 1 }', '1:3: zzzzzzzzz: Unknown key "zzzzzzzzz".', 'Known keys: $schema, skills,'],
  ['a key that JavaScript knows', '{ "__proto__": {} }', '1:3: __proto__: Unknown key.', 'Remove it.'],
  ['a text for a list', { skills: './team' }, '1:11: skills: Expected a list, found a string.', 'such as ["./team-skills"]'],
  ['a number in a list', { skills: ['a', 7] }, '1:16: skills[1]: Expected a string, found a number.', 'A skill folder'],
  ['an empty folder', { skills: [''] }, '1:12: skills[0]: This is empty; is a variable unset?', 'A skill folder'],
  ['null', { identity: null }, '1:13: identity: Expected an object, found null.', 'over stdio'],
  ['a text for a switch', { standardFolders: 'no' }, '1:20: standardFolders: Expected true or false, found a string.', 'Default true'],
  ['a list for a file', '[]', '1:1: Expected an object, found a list.', 'What footbridge serves'],
  ['an unknown tool', { tools: { get_resorce: false } }, '1:11: tools.get_resorce: Unknown key', 'Did you mean "get_resource"?'],
  ['a missing name', { identity: { roles: [] } }, '1:13: identity.name: "name" is missing.', 'Name of the caller'],
  ['a key twice', '{ "skills": [],\n "skills": [] }', '2:2: skills: Duplicate key "skills".', 'Remove one'],
  [
    'an unset variable',
    '{ "skills": ["x", "a${NOPE}"] }',
    '1:19: skills[1]: The environment variable NOPE is not set.',
    '${NOPE:-default}',
  ],
  ['half a variable', { skills: ['${NOPE'] }, '1:12: skills[0]: Invalid variable after ${.', '$${'],
  ['a variable in a default', { skills: ['${A:-${B}}'] }, '1:12: skills[0]: Invalid variable after ${.', '$${'],
  ['a name that every object has', { skills: ['${constructor}'] }, 'The environment variable constructor is not set.', 'Set constructor'],
  ['a token itself', token({ token: 'fb_hush' }), '1:110: http.tokens[0].token: A token does not belong', 'footbridge token NAME'],
  ['a token as digest', token({ sha256: 'fb_hush' }), 'http.tokens[0].sha256: Invalid SHA-256', 'footbridge token NAME'],
  ['a token for nobody', token({ name: '' }), 'http.tokens[0].name: This is empty', 'Must be unique'],
  [
    'a name twice',
    {
      http: {
        tokens: [
          { name: 'a', sha256: DIGEST },
          { name: 'a', sha256: 'b'.repeat(64) },
        ],
      },
    },
    'http.tokens[1].name: Duplicate name.',
    'Must be unique',
  ],
  [
    'a digest twice, in another case',
    {
      http: {
        tokens: [
          { name: 'a', sha256: DIGEST },
          { name: 'b', sha256: DIGEST.toUpperCase() },
        ],
      },
    },
    'http.tokens[1].sha256: Duplicate sha256.',
    'footbridge token NAME',
  ],
  ['no tokens', { http: { tokens: [] } }, '1:19: http.tokens: The list is empty.', 'Omit it'],
  [
    'an issuer without TLS',
    oauth({ issuer: 'http://id.example.org' }),
    'http.oauth.issuer: http:// is allowed only for this machine',
    'for example https://',
  ],
  ['keys that are no URL', oauth({ jwksUri: 'keys' }), 'http.oauth.jwksUri: Invalid URL. Use https://', "issuer's keys"],
  ['an audience of numbers', oauth({ audience: [1] }), 'http.oauth.audience: Expected a string or a list of strings.', 'The "aud" claim'],
  ['a shared key', oauth({ algorithms: ['RS256', 'HS256'] }), 'http.oauth.algorithms[1]: This is not an asymmetric', 'RS256, RS384'],
  ['no signature', oauth({ algorithms: ['none'] }), 'http.oauth.algorithms[0]: This is not an asymmetric', 'RS256, RS384'],
  ['a limit of none', { http: { limits: { burst: 0 } } }, '1:28: http.limits.burst: Expected a positive integer', 'Default 100.'],
  ['half a call', { http: { limits: { burst: 1.5 } } }, 'http.limits.burst: Expected a positive integer', 'Default 100.'],
  ['a limit too large', { http: { limits: { burst: 1e20 } } }, 'http.limits.burst: Expected a positive integer', 'Default 100.'],
  ['an unknown limit', { http: { limits: { brust: 1 } } }, 'http.limits.brust: Unknown key', 'Did you mean "burst"?'],
  ['a role without a name', { http: { roles: { '': {} } } }, '1:19: http.roles[""]: The name is empty.', 'What a role sees'],
  [
    'an unknown list of a role',
    { http: { roles: { 'a b': { skill: [] } } } },
    'http.roles["a b"].skill: Unknown key',
    'Did you mean "skills"?',
  ],
  ['a URL of another kind', { http: { publicUrl: 'ftp://x' } }, 'http.publicUrl: Invalid URL', 'behind a proxy'],
  ['a URL for a host', { http: { hosts: ['https://x.org'] } }, 'http.hosts[0]: Invalid host name', 'mcp.example.org'],
  ['any origin', { http: { origins: ['*'] } }, 'http.origins[0]: Invalid origin', 'https://app.example.org'],
  ['a list of servers', { mcpServers: [] }, '1:15: mcpServers: Expected an object, found a list.', 'MCP servers'],
  ['a server without a command or URL', server({}), '1:23: mcpServers.docs: A server requires a command or a url.', '"command"'],
  [
    'a server that is two',
    started({ url: 'https://x.org' }),
    '1:47: mcpServers.docs.url: A server requires either a command or a url',
    'URL of the server',
  ],
  ['a typo of a server', server({ comand: 'node' }), '1:24: mcpServers.docs.comand: Unknown key', 'Did you mean "command"?'],
  ['an empty command', started({ command: '' }), 'mcpServers.docs.command: This is empty', 'The program'],
  ['arguments in a text', started({ args: '-y x' }), 'mcpServers.docs.args: Expected a list, found a string.', 'Arguments of'],
  ['a number in an environment', started({ env: { PORT: 80 } }), 'mcpServers.docs.env.PORT: Expected a string', 'Environment variables of'],
  [
    'a variable of no name',
    started({ env: { 'A=B': 'hush' } }),
    'mcpServers.docs.env["A=B"]: Invalid environment variable name.',
    'Environment variables of',
  ],
  ['what no program can be given', started({ args: ['hush\0'] }), 'mcpServers.docs.args[0]: This contains a NUL', 'Arguments of'],
  ['headers for a command', started({ headers: {} }), 'headers: "headers" requires "url", but this server has a command.', 'Headers of'],
  ['arguments for a URL', remote({ args: [] }), 'args: "args" requires "command", but this server has a url.', 'Arguments of'],
  [
    'an environment for a URL',
    remote({ env: {} }),
    'env: "env" requires "command", but this server has a url.',
    'Environment variables of',
  ],
  ['a type that does not fit', remote({ type: 'stdio' }), 'docs.type: "stdio" requires "command", but this server has a url.', '"sse"'],
  ['a type that nobody has', started({ type: 'pipe' }), 'mcpServers.docs.type: Expected "stdio", "http"', 'as hosts write it'],
  ['an invalid URL', remote({ url: 'example.org' }), 'mcpServers.docs.url: Invalid URL. Use https://', 'URL of the server'],
  [
    'a password in a URL',
    remote({ url: 'https://me:hush@x.org' }),
    'mcpServers.docs.url: The URL contains a user name or a password',
    'URL of the server',
  ],
  ['an invalid header name', remote({ headers: { 'a b': 'c' } }), 'mcpServers.docs.headers["a b"]: Invalid HTTP header name', 'Headers of'],
  ['two headers in one', remote({ headers: { a: 'hush\r\nb: c' } }), 'mcpServers.docs.headers.a: Invalid HTTP header value', 'Headers of'],
  ['half a server name', server({ command: 'x' }, 'a__b'), '1:16: mcpServers.a__b: The name contains __', 'An MCP server'],
  ['a name for a URI', server({ command: 'x' }, 'a+b'), '1:16: mcpServers["a+b"]: The name contains +', 'An MCP server'],
  ['a name with a blank', server({ command: 'x' }, 'a b'), 'mcpServers["a b"]: The name may contain only letters', 'An MCP server'],
  ['a server without a name', server({ command: 'x' }, ''), 'mcpServers[""]: The name is empty.', 'An MCP server'],
  ['a name that leads elsewhere', server({ command: 'x' }, '..'), 'mcpServers[".."]: The name must start and end', 'An MCP'],
  ['a long name', server({ command: 'x' }, 'a'.repeat(65)), ': The name has more than 64 characters.', 'An MCP server'],
  ['an unknown kind of things', started({ exclude: { tool: [] } }), 'docs.exclude.tool: Unknown key', 'Did you mean "tools"?'],
  ['a pattern of nothing', started({ include: { skills: [''] } }), 'mcpServers.docs.include.skills[0]: This is empty', 'Skills, by name'],
  ['a rule for nothing', started({ resources: [{ category: 'x' }] }), 'docs.resources[0].match: "match" is missing.', 'such as admin://**'],
  ['an isolation of its own', started({ isolation: 'alone' }), 'isolation: Expected "shared" or "caller".', 'share one connection'],
  ['a prefix that no tool can have', started({ prefix: 'a b' }), 'mcpServers.docs.prefix: A prefix may contain only letters', 'Prefix for'],
  ['no time to start', started({ startTimeoutMs: 99 }), 'docs.startTimeoutMs: Expected an integer from 100 to 600000', 'Default 10000.'],
  [
    'all day to start',
    started({ startTimeoutMs: 600_001 }),
    'docs.startTimeoutMs: Expected an integer from 100 to 600000',
    'Default 10000.',
  ],
  [
    'half a millisecond',
    started({ startTimeoutMs: 100.5 }),
    'docs.startTimeoutMs: Expected an integer from 100 to 600000',
    'Default 10000.',
  ],
  ['a text for disabled', started({ disabled: 'no' }), 'disabled: Expected true or false, found a string.', 'disables the server'],
  ['an unset secret', started({ env: { KEY: '${NOPE}' } }), 'docs.env.KEY: The environment variable NOPE is not set.', 'Set NOPE'],
  ['nothing', '', '1:1: Expected a value.', 'Correct it'],
  ['a missing comma', '{ "skills": []\n  "tools": {} }', '2:3: Expected a comma before this.', 'trailing commas are allowed'],
  ['a text without an end', '{ "skills": ["a }', '1:14: Unclosed string.', 'Correct it'],
  ['more than one value', '{}\n{}', '2:1: Unexpected content after the end of the configuration.', 'Correct it'],
  [
    'a megabyte of digits',
    `{"skills":[${'1,'.repeat(500_000)}1]}`,
    '1:65544: The file has more than 65,536 words and marks.',
    'right file',
  ],
  ['a deep hole', '['.repeat(500_000), '1:33: This is nested deeper than 32 levels.', 'unclosed'],
];

describe('rejects an invalid file with the position, the reason and the fix:', () => {
  it.each(BAD)('%s', async (_what, file, message, action) => {
    const world = configured(file);
    const name = world.path('project/footbridge.json');
    const refused: unknown = await loadConfig(name, ioOf(world), false).catch((error: unknown) => error);
    // What follows `footbridge error: ` at the command line; the next test has all of that.
    const said = String(refused instanceof Error ? refused.message : refused).replaceAll(name, 'footbridge.json');
    const lines = said.split('\n');
    const place = lines.findIndex((line) => line.startsWith('footbridge.json:') && line.includes(message));
    expect(said).toMatch(/^footbridge\.json is invalid: \d+ problems?\.\nfootbridge\.json:\d+:\d+: /);
    expect(place, said).toBeGreaterThan(0);
    expect(lines[place + 1]).toContain(action);
    expect(said).not.toContain('hush');
  });

  it('all problems at once, in the order of the file', async () => {
    const world = configured('{\n  "tools": { "x": 1, "skill": 2 },\n  "skills": ["${NOPE}", 3, "${NADA}"],\n  "skils": 1,\n}');
    const { code, stdout, stderr } = await run(world, 'list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^footbridge error: footbridge\.json is invalid: 6 problems\.\n/);
    expect(stderr.match(/^footbridge\.json:\d+:\d+: [^:]+/gm)).toEqual([
      'footbridge.json:2:14: tools.x',
      'footbridge.json:2:31: tools.skill',
      'footbridge.json:3:14: skills[0]',
      'footbridge.json:3:25: skills[1]',
      'footbridge.json:3:28: skills[2]',
      'footbridge.json:4:3: skils',
    ]);
  });

  it.each([
    ['commas', `{${','.repeat(30_000)}}`],
    ['unknown keys', `{${Array.from({ length: 8000 }, (_, index) => `"key-${index}":1`).join(',')}}`],
    ['wrong values', `{"skills":[${'1,'.repeat(15_000)}1]}`],
    ['unset variables', `{"skills":["${Array(5000).fill('${NOPE}').join('","')}"]}`],
  ])('the first hundred of many problems: %s', async (_what, text) => {
    const { stderr } = await run(configured(text), 'lint');
    expect(stderr).toMatch(/^footbridge error: footbridge\.json is invalid: more than 100 problems\.\n/);
    expect(stderr.match(/^footbridge\.json:\d+:\d+: /gm)).toHaveLength(100);
  });

  it('no value of the environment, and no text in place of a key', async () => {
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const value = '${API_TOKEN}';
    const world = configured({
      standardFolders: value,
      tools: { skill: value },
      identity: value,
      [secret]: 1,
      mcpServers: {
        one: { url: `https://${value}@example.org`, headers: { a: `${value}\n` } },
        two: { command: 'x', args: [`${value}\0`], env: { a: `\0${value}` }, type: value, isolation: value },
      },
      http: {
        ...token({ sha256: value }).http,
        publicUrl: value,
        hosts: [`${value}/`],
        oauth: { issuer: value, audience: 3, algorithms: [value] },
      },
    });
    for (const args of [['list'], [], ['serve'], ['lint'], ['surface']]) {
      const { code, stdout, stderr } = await runWith(world, { API_TOKEN: secret }, ...args);
      expect(code).toBe(args[0] === 'surface' ? 2 : 1);
      expect(stderr).toContain('16 problems');
      expect(stdout + stderr).not.toContain(secret.slice(4, 20));
    }
  });
});

describe('a file that cannot be read', () => {
  it.each([
    ['missing', 'nowhere.json', 'File nowhere.json not found.'],
    ['a folder', '.', '. is a folder.'],
    ['too large', 'large.json', 'large.json is larger than 1 MiB.'],
    ['not UTF-8', 'latin.json', 'latin.json is not UTF-8.'],
    ['UTF-16', 'wide.json', 'wide.json is not UTF-8.'],
  ])('%s is an error', async (_what, name, message) => {
    const world = createWorld();
    world.write('project/large.json', `{}${' '.repeat(1024 * 1024)}`);
    world.write('project/latin.json', Buffer.from('{ "skills": ["caf\xe9"] }', 'latin1'));
    world.write('project/wide.json', Buffer.from('{}', 'utf16le'));
    for (const args of [[], ['list'], ['lint', '.']]) {
      const { code, stdout, stderr } = await run(world, ...args, '--config', name);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`footbridge error: ${message}\n`);
    }
  });

  it('a file of 1 MiB is read, and a broken link is an error', async () => {
    const world = configured(`{}${' '.repeat(1024 * 1024 - 2)}`);
    expect((await run(world, 'list')).code).toBe(0);
    world.remove('project/footbridge.json');
    symlinkSync('nowhere', world.path('project/footbridge.json'));
    expect(await run(world, 'list')).toMatchObject({ code: 1, stderr: expect.stringContaining('File footbridge.json not found.') });
  });

  it.runIf(process.platform !== 'win32')('a discovered pipe is an error, and a named one is read', async () => {
    const world = createWorld();
    execFileSync('mkfifo', [world.path('project/footbridge.json'), world.path('project/named')]);
    for (const command of ['list', 'verify', 'outdated'])
      expect((await run(world, command, '--json')).stdout, command).toContain('footbridge.json is not a file.');
    world.remove('project/footbridge.json');
    const [{ code }] = await Promise.all([run(world, 'list', '--config', 'named'), writeFile(world.path('project/named'), '{}')]);
    expect(code).toBe(0);
  });

  it('every command accepts --config, and rejects an invalid file if it uses one', async () => {
    const world = configured({ skils: [] }, 'project/bad.json');
    const commands = [
      [],
      ['serve'],
      ['serve', '--http', '0'],
      ['list'],
      ['show', 'x'],
      ['read', 'skill://x/SKILL.md'],
      ['search', 'x'],
      ['lint'],
    ];
    for (const args of [...commands, ['surface'], ['surface', 'http://127.0.0.1:9/mcp']]) {
      const { code, stderr } = await run(world, ...args, '--config', 'bad.json');
      expect(stderr, args.join(' ')).toContain('bad.json:1:2: skils: Unknown key');
      expect(code).toBe(args[0] === 'surface' ? 2 : 1);
    }
    for (const server of [['http://127.0.0.1:9/mcp'], ['--', 'node', 'x.js'], ['--http', '0', '--', 'node', 'x.js']])
      expect(await run(world, '--config', 'bad.json', 'wrap', ...server)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('bad.json:1:2: skils: Unknown key'),
      });
    // What a command does not need is not looked at unless it is named.
    world.write('project/footbridge.json', '{ "skils": [] }');
    world.skill('project/team/one');
    expect(await run(world, 'lint', 'team')).toMatchObject({ code: 0, stderr: '' });
    expect(await run(world, 'list', '--config', '')).toMatchObject({ code: 1, stderr: expect.stringContaining('is a variable unset?') });
    expect(await run(world, '--config=')).toMatchObject({ code: 1, stderr: expect.stringContaining('is a variable unset?') });
  });
});

describe('footbridge token', () => {
  it('prints a token with its configuration entry and its header', async () => {
    const world = createWorld();
    const { code, stdout } = await run(world, 'token', 'build-agent', '--role', 'admin', '--role', 'reader');
    expect(code).toBe(0);
    const [secret = ''] = /fb_[\w-]{43}/.exec(stdout) ?? [];
    const entry = JSON.parse(/^ {2}\{[^}]*\}$/m.exec(stdout)?.[0] ?? '');
    expect(entry).toEqual({ name: 'build-agent', sha256: createHash('sha256').update(secret).digest('hex'), roles: ['admin', 'reader'] });
    expect(stdout).toContain(`Authorization: Bearer ${secret}`);
    world.write('project/footbridge.json', JSON.stringify({ http: { tokens: [entry] } }));
    expect(await run(world, 'list')).toMatchObject({ code: 0, stderr: '' });
  });

  it('prints JSON for scripts, a new token each time, even with an invalid configuration', async () => {
    const world = configured({ http: { tokens: [{ name: 'a', token: 'b' }] } });
    const [one, other] = await Promise.all([run(world, 'token', 'a', '--json'), run(world, 'token', 'a', '--json')]);
    const { token: secret, entry, header } = JSON.parse(one.stdout);
    expect(entry).toEqual({ name: 'a', sha256: createHash('sha256').update(secret).digest('hex') });
    expect(header).toBe(`Authorization: Bearer ${secret}`);
    expect(JSON.parse(other.stdout).token).not.toBe(secret);
  });

  it.each([
    [['token'], "Missing required argument 'name'"],
    [['token', ''], 'is a variable unset?'],
    [['token', 'a', '--role', ''], 'is a variable unset?'],
    [['token', 'a', '--rol', 'x'], 'Did you mean --role?'],
  ])('rejects %j', async (args, message) => {
    expect(await run(createWorld(), ...args)).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });
});

/** Every key that a JSON Schema knows. */
function keysOf(schema: Json): string[] {
  const { properties = {}, items, additionalProperties } = schema;
  const inner = [...Object.values(properties), items, additionalProperties].filter((each) => typeof each === 'object');
  return [...Object.keys(properties), ...inner.flatMap(keysOf)];
}

it('docs/configuration.md has every key', () => {
  const page = textOfDocument('docs/configuration.md');
  const keys = keysOf(configJsonSchema());
  expect(keys).toEqual(
    expect.arrayContaining(['$schema', 'get_skill', 'audience', 'burst', 'origins', 'sha256', 'mcpServers', 'packs', 'cwd', 'disabled']),
  );
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});

it('the JSON Schema for editors matches the command', () => {
  const file = join(import.meta.dirname, '..', 'footbridge.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8')), 'npm run build rewrites it').toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
});
