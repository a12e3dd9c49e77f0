/** Hostile names, URIs and folders: nothing outside is read, and every refusal says what to do. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { serve, textOf } from './support/server.js';

const SECRET = 'TOP-SECRET-CONTENT';

/** A world with secrets all around the skill folders, and links that lead to them. */
function besiegedWorld(): World {
  const world = createWorld();
  world.write('outside/secret.txt', SECRET);
  world.write('outside/hidden/SKILL.md', `---\nname: hidden\ndescription: ${SECRET}\n---\n${SECRET}\n`);
  world.write('home/.ssh/id_rsa', SECRET);
  world.write('project/.env', SECRET);
  world.skill('project/.agents/skills/good');
  world.write('project/.agents/skills/good/notes.md', 'notes');
  world.write('project/.agents/skills/good/.git/config', SECRET);
  world.write('project/.agents/skills/good/node_modules/x/index.js', SECRET);
  symlinkSync(world.path('outside/secret.txt'), world.path('project/.agents/skills/good/link.txt'));
  symlinkSync(world.path('outside'), world.path('project/.agents/skills/good/folder'));
  symlinkSync(world.path('outside/hidden'), world.path('project/.agents/skills/hidden'));
  mkdirSync(world.path('project/.agents/skills/faked'));
  symlinkSync(world.path('outside/hidden/SKILL.md'), world.path('project/.agents/skills/faked/SKILL.md'));
  symlinkSync(world.path('project/.agents/skills'), world.path('project/.agents/skills/loop'));
  return world;
}

const TARGETS = ['etc/passwd', 'secret.txt', 'outside/secret.txt', '.env', 'hidden/SKILL.md', 'home/.ssh/id_rsa'];

/** Ways of writing "one folder up", in several encodings. */
const UPS = [
  '..',
  '%2e%2e',
  '%2E.',
  '.%2e',
  '%252e%252e',
  '..%00',
  '..;',
  '....',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '\u002e\u002e',
  '．．',
  '..%20',
  '..%5c..',
];
const SLASHES = ['/', '%2f', '%2F', '\\', '%5c', '//', '/./', '%252f', '%c0%af', '∕'];

function hostileUris(world: World): string[] {
  const listed = [
    'skill://',
    'skill:///',
    'skill:////',
    'skill://.',
    'skill://..',
    'skill://%',
    'skill://%zz/SKILL.md',
    'skill://%00/SKILL.md',
    'skill://good\0/SKILL.md',
    'skill://good/SKILL.md\0.txt',
    'skill://good/SKILL.md%00',
    'skill://good/%00SKILL.md',
    'skill://good//SKILL.md',
    'skill://good/./SKILL.md',
    'skill://good/link.txt',
    'skill://good/folder/secret.txt',
    'skill://good/folder',
    'skill://hidden/SKILL.md',
    'skill://faked/SKILL.md',
    'skill://loop/good/SKILL.md',
    'skill://good/.git/config',
    'skill://good/node_modules/x/index.js',
    'skill://good/.GIT/config',
    'skill://good/Node_Modules/x/index.js',
    'skill://C:/Windows/win.ini',
    'skill://good/C:\\Windows\\win.ini',
    'skill://good/\\\\server\\share\\x',
    'skill:////server/share/x',
    'skill://good/CON',
    'skill://good/NUL',
    'skill://good/SKILL.md::$DATA',
    'skill://good/SKILL.md:stream',
    'skill://good/skill.md',
    'skill://good/SKILL.MD',
    'skill://good/SKILL.md.',
    'skill://good/SKILL.md%20',
    'skill://good/notes.md?x=1',
    'skill://good/notes.md#x',
    'skill://user@good/SKILL.md',
    'skill://good:80/SKILL.md',
    'skill://good/~/.ssh/id_rsa',
    'skill://good/$HOME/.ssh/id_rsa',
    'skill://file:///etc/passwd',
    `file://${world.path('outside/secret.txt')}`,
    world.path('outside/secret.txt'),
    'skill:/good/SKILL.md',
    'skill:good/SKILL.md',
    `skill://${'a/'.repeat(5000)}SKILL.md`,
    `skill://good/${'x'.repeat(100_000)}`,
    `skill://${'%2e%2e/'.repeat(900)}etc/passwd`,
    `skill://good/${'..%2f'.repeat(40)}etc/passwd`,
    `skill://good${world.path('outside/secret.txt')}`,
    `skill://good/${encodeURIComponent(world.path('outside/secret.txt'))}`,
    'skill://\u202Egood/SKILL.md',
    'skill://good/\ud800',
  ];
  const made = UPS.flatMap((up) =>
    SLASHES.flatMap((slash) => TARGETS.slice(0, 2).map((target) => `skill://good/${[up, up, up, target].join(slash)}`)),
  );
  return [...listed, ...made];
}

/** The answer must neither hold what is outside nor say where it is. */
function expectHarmless(world: World, text: string, what: string): void {
  expect(text, what).not.toContain(SECRET);
  expect(text, what).not.toContain('root:');
  for (const place of [world.project, world.home, world.outside]) expect(text.replaceAll(what, ''), what).not.toContain(place);
  expect(text, what).not.toMatch(/\bat \S+ \(.*:\d+:\d+\)|node:internal/);
}

describe('traversal', () => {
  it('over 200 hostile URIs read nothing, and each gets an error that says what to do', async () => {
    const world = besiegedWorld();
    const client = await serve(world, {});
    const uris = hostileUris(world);
    expect(uris.length).toBeGreaterThan(300);
    for (const uri of uris) {
      const result = await client.call('get_skill', { uri });
      expect(result.isError, uri).toBe(true);
      expect(textOf(result), uri).toContain('list_skills');
      expectHarmless(world, textOf(result), uri);
      for (const method of ['resources/read', 'resources/directory/read', 'skills/get']) {
        const answer = await client.request(method, { uri });
        if (method === 'resources/read') expect(answer.error?.message, uri).toContain('list_skills');
        expect(answer.error, `${method} ${uri}`).toBeDefined();
        expectHarmless(world, answer.error?.message ?? '', uri);
      }
    }
    expect((await client.call('skill', { name: 'good' })).isError).not.toBe(true);
  });

  it('hostile names load nothing', async () => {
    const world = besiegedWorld();
    const client = await serve(world, {});
    const made = UPS.flatMap((up) => SLASHES.map((slash) => [up, up, 'etc', 'passwd'].join(slash)));
    const listed = [
      '../../../etc/passwd',
      '.ssh/id_rsa',
      '/etc/passwd',
      '\\\\server\\share',
      'C:\\Windows',
      'good\0',
      'good/..',
      '.',
      '..',
      'hidden',
      'faked',
      'loop:good',
      'a'.repeat(100_000),
      '\u202E',
      '*',
      'good;ls',
      '$HOME',
      '__proto__',
      'constructor',
      'toString',
    ];
    for (const name of [...listed, ...made]) {
      const result = await client.call('skill', { name });
      expect(result.isError, name).toBe(true);
      expect(textOf(result).length).toBeLessThan(20_000);
      expectHarmless(world, textOf(result), name);
    }
  });

  it('generated URIs and names read nothing outside', async () => {
    const world = besiegedWorld();
    const client = await serve(world, {});
    const piece = fc.oneof(
      fc.constantFrom(...UPS, ...TARGETS, 'good', 'hidden', 'folder', 'SKILL.md', 'notes.md', '%00', '.git'),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    const uri = fc
      .array(fc.tuple(piece, fc.constantFrom(...SLASHES)), { minLength: 1, maxLength: 7 })
      .map((parts) => `skill://${parts.flat().join('')}`);
    await fc.assert(
      fc.asyncProperty(uri, async (hostile) => {
        for (const text of [
          textOf(await client.call('get_skill', { uri: hostile })),
          textOf(await client.call('skill', { name: hostile.slice(8) })),
          JSON.stringify(await client.request('resources/read', { uri: hostile })),
        ]) {
          expect(text).not.toContain(SECRET);
          expect(text).not.toContain('root:');
        }
      }),
      { numRuns: 300 },
    );
    expect((await client.call('skill', { name: 'good' })).isError).not.toBe(true);
  });

  it('lists, completes and publishes nothing outside', async () => {
    const world = besiegedWorld();
    const client = await serve(world, {});
    const { skills } = (await client.call('list_skills', {})).structuredContent;
    expect(skills.map((skill: { name: string }) => skill.name)).toEqual(['good']);
    const children = (await client.request('resources/directory/read', { uri: 'skill://good' })).result.resources;
    expect(children.map((child: { name: string }) => child.name)).toEqual(['SKILL.md', 'notes.md']);
    const entry = (await client.request('skills/get', { uri: 'skill://good/SKILL.md' })).result.skill;
    expect(entry.resources.map((resource: { uri: string }) => resource.uri)).toEqual(['skill://good/SKILL.md', 'skill://good/notes.md']);
    for (const rule of ['The link leaves the configured folders', 'The link leaves its skill', 'leads back to a folder above it'])
      await expect.poll(() => client.stderr).toContain(rule);
  });
});

describe.runIf(process.platform === 'linux')('a folder that is swapped for a link while it is read', () => {
  it.each([
    ['a folder inside a skill', 'good/assets', 'outside/assets', 'skill://good/assets/file.txt'],
    ['a skill', 'victim', 'outside/victim', 'skill://victim/SKILL.md'],
  ])('%s gives away nothing from outside', async (_what, folder, target, uri) => {
    const world = createWorld();
    const file = uri.endsWith('SKILL.md') ? 'SKILL.md' : 'file.txt';
    const content = (word: string) => `---\nname: victim\ndescription: ${word}\n---\n${word}\n`;
    world.skill('project/.agents/skills/good');
    world.write(`project/.agents/skills/${folder}/${file}`, content('harmless'));
    world.write(`${target}/${file}`, content(SECRET));
    symlinkSync(world.path(target), world.path('project/link'));
    const client = await serve(world, {});
    const place = world.path(`project/.agents/skills/${folder}`);
    const swapping = spawn(process.execPath, ['-e', SWAP, place, world.path('project/link'), world.path('project/spare')]);
    const ended = once(swapping, 'exit');
    onTestFinished(async () => {
      swapping.kill();
      await ended;
    });
    await once(swapping.stdout, 'data');
    const end = Date.now() + 1000;
    for (let answers = 0; answers < 20 || Date.now() < end; answers++) {
      const results = await Promise.all([
        client.call('get_skill', { uri }),
        client.call('skill', { name: 'victim' }),
        client.request('resources/read', { uri }),
        client.request('tools/list'),
      ]);
      expect(JSON.stringify(results)).not.toContain(SECRET);
    }
    expect(swapping.exitCode).toBe(null);
  });
});

/** Until it is ended: the folder steps aside, the link takes its place, and back. */
const SWAP = `
  const { renameSync } = require('node:fs');
  const [place, link, spare] = process.argv.slice(1);
  for (let times = 0; ; times++) {
    renameSync(place, spare);
    renameSync(link, place);
    renameSync(place, link);
    renameSync(spare, place);
    if (times === 1) require('node:fs').writeSync(1, 'begun');
  }`;

describe('links', () => {
  it('follows a link to a target inside a configured folder', async () => {
    const world = createWorld();
    world.skill('home/.agents/skills/pdf');
    mkdirSync(world.path('home/.claude/skills'), { recursive: true });
    symlinkSync(world.path('home/.agents/skills/pdf'), world.path('home/.claude/skills/pdf'));
    world.skill('outside/library/xlsx');
    mkdirSync(world.path('project/.claude/skills'), { recursive: true });
    symlinkSync(world.path('outside/library/xlsx'), world.path('project/.claude/skills/xlsx'));
    const without = await serve(world, {});
    expect((await without.request('resources/list')).result.resources.map((each: { name: string }) => each.name)).toEqual(['pdf']);
    const client = await serve(world, { args: ['--skills', world.path('outside/library')] });
    expect((await client.request('resources/list')).result.resources.map((each: { name: string }) => each.name).sort()).toEqual([
      'pdf',
      'xlsx',
    ]);
    expect(textOf(await client.call('skill', { name: 'xlsx' }))).toContain(`Base directory: ${world.path('project/.claude/skills/xlsx')}`);
    expect(client.stderr).toBe('');
  });

  it('detects that the target of a link has become a folder', async () => {
    const world = createWorld();
    world.write('outside/all/target', 'a file for now');
    mkdirSync(world.path('outside/first'));
    symlinkSync(world.path('outside/all/target'), world.path('outside/first/linked'));
    const client = await serve(world, { args: ['--skills', world.path('outside/first'), '--skills', world.path('outside/all')] });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    world.remove('outside/all/target');
    world.skill('outside/all/target');
    await client.waitFor(async () =>
      textOf(await client.call('skill', { name: 'target' })).includes(`Base directory: ${world.path('outside/first/linked')}`),
    );
  });

  it('serves a standard folder that is itself a link', async () => {
    const world = createWorld();
    world.skill('outside/dotfiles/git');
    mkdirSync(world.path('home/.claude'));
    symlinkSync(world.path('outside/dotfiles'), world.path('home/.claude/skills'));
    const client = await serve(world, {});
    expect((await client.call('skill', { name: 'git' })).isError).not.toBe(true);
  });
});

describe('folder names', () => {
  it.runIf(process.platform !== 'win32')('that no name or URI can carry are passed over with a warning; odd ones work', async () => {
    const world = createWorld();
    for (const folder of ['back\\slash', 'tab\there']) world.skill(`outside/all/${folder}/hidden`);
    world.skill('outside/all/plain/pdf');
    for (const folder of [' blank ', 'ümläut', '100%', 'a:b', "it's <b>"]) world.skill(`outside/all/${folder}/pdf`);
    const client = await serve(world, { args: ['--skills', world.path('outside/all')] });
    const { skills } = (await client.call('list_skills', {})).structuredContent;
    expect(skills).toHaveLength(6);
    for (const { name, uri } of skills) {
      const loaded = textOf(await client.call('skill', { name }));
      const [contents] = (await client.request('resources/read', { uri })).result.contents;
      expect(loaded.endsWith(contents.text), name).toBe(true);
      expect(loaded, name).toContain(`/${decodeURIComponent(uri.split('/')[2])}/pdf\n`);
    }
    await expect.poll(() => client.stderr.match(/contains a backslash or a control character/g)).toHaveLength(2);
  });
});

describe('unusual files', () => {
  it.runIf(process.platform !== 'win32')('refuses FIFOs, devices, sockets, folders and files over the limit, and goes on', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    for (const name of ['fifo', 'folder', 'device', 'huge']) mkdirSync(world.path(`project/.agents/skills/${name}`));
    execFileSync('mkfifo', [world.path('project/.agents/skills/fifo/SKILL.md'), world.path('project/.agents/skills/good/pipe')]);
    mkdirSync(world.path('project/.agents/skills/folder/SKILL.md'));
    symlinkSync('/dev/zero', world.path('project/.agents/skills/device/SKILL.md'));
    symlinkSync('/dev/zero', world.path('project/.agents/skills/good/zero'));
    world.skill('project/.agents/skills/huge');
    truncateSync(world.path('project/.agents/skills/huge/SKILL.md'), 16 * 1024 * 1024 + 1);
    world.write('project/.agents/skills/good/big.bin', '');
    truncateSync(world.path('project/.agents/skills/good/big.bin'), 16 * 1024 * 1024 + 1);
    const client = await serve(world, {});
    expect((await client.call('list_skills', {})).structuredContent.skills.map((skill: { name: string }) => skill.name)).toEqual(['good']);
    for (const file of ['pipe', 'zero', 'big.bin']) {
      const result = await client.call('get_skill', { uri: `skill://good/${file}` });
      expect(result.isError, file).toBe(true);
      expect(textOf(result)).toMatch(/\n- \w/);
    }
    expect(textOf(await client.call('get_skill', { uri: 'skill://good/big.bin' }))).toContain('too large');
    for (const name of ['fifo', 'folder'])
      await expect.poll(() => client.stderr).toContain(`${name}/SKILL.md: SKILL.md is not a regular file`);
    await expect.poll(() => client.stderr).toContain('device/SKILL.md: The link leaves its skill');
    await expect.poll(() => client.stderr).toContain('huge/SKILL.md: SKILL.md has 16777217 bytes');
  });

  it('searches at most eight folders deep, and not in .git or node_modules', async () => {
    const world = createWorld();
    world.skill(`outside/all/${'a/'.repeat(7)}deep`);
    world.skill(`outside/all/${'b/'.repeat(8)}deeper`);
    world.skill('outside/all/.git/internal');
    world.skill('outside/all/node_modules/dependency');
    const client = await serve(world, { args: ['--skills', world.path('outside/all')] });
    expect((await client.request('resources/list')).result.resources.map((each: { uri: string }) => each.uri)).toEqual([
      `skill://${'a/'.repeat(7)}deep/SKILL.md`,
    ]);
  });

  it('survives hostile frontmatter', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    const bombs = {
      aliases: `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nname: aliases\ndescription: *e`,
      deep: `name: deep\ndescription: d\nx: ${'['.repeat(5000)}${']'.repeat(5000)}`,
      proto: 'name: proto\ndescription: d\n__proto__: { polluted: yes }\nconstructor: { prototype: { polluted: yes } }',
      spaces: `name: spaces\ndescription: ${' '.repeat(50_000)}x${' '.repeat(10_000)}`,
      colons: `name: colons\ndescription: ${'a: '.repeat(15_000)}`,
      binary: `name: !!binary aGVsbG8=\ndescription: !!js/function "function(){}"`,
      endless: `name: endless\ndescription: ${'x'.repeat(200_000)}`,
    };
    for (const [name, yaml] of Object.entries(bombs)) world.write(`project/.agents/skills/${name}/SKILL.md`, `---\n${yaml}\n---\nbody\n`);
    const client = await serve(world, {});
    const { skills } = (await client.call('list_skills', {})).structuredContent;
    expect(skills.map((skill: { name: string }) => skill.name)).toContain('good');
    expect(
      (await client.request('skills/list')).result.skills.map((skill: { frontmatter: { name: string } }) => skill.frontmatter.name),
    ).toContain('good');
    expect(JSON.stringify((await client.request('tools/list')).result).length).toBeLessThan(20_000);
  });

  it('serves the other skills when a name or a frontmatter is oversized', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    world.write('project/.agents/skills/aaa/SKILL.md', `---\nname: ${'n'.repeat(15_000)}\ndescription: d\n---\n`);
    const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}: [v]`).join('\n');
    for (let index = 0; index < 10; index++)
      world.write(`project/.agents/skills/keys-${index}/SKILL.md`, `---\nname: keys-${index}\ndescription: d\n${keys}\n---\n`);
    world.write('project/.agents/skills/twice/SKILL.md', '---\nname: twice\ndescription: [a]\nname: again\n---\n');
    world.write('project/.agents/skills/half/SKILL.md', '---\nname: "half\\ud800"\ndescription: "bell\\a"\n---\nbody\n');
    const client = await serve(world, {});
    const [tool] = (await client.request('tools/list')).result.tools;
    const entries = tool.inputSchema.properties.name.description;
    expect(entries).toContain('- good: ');
    expect(entries).toContain('1 more skills are not shown');
    expect(textOf(await client.call('skill', { name: 'goodd' }))).toContain('- good: ');
    await expect.poll(() => client.stderr).toContain('twice/SKILL.md:4: The frontmatter is not valid YAML: Duplicate key "name"');
    const { skills } = (await client.call('list_skills', { query: 'half' })).structuredContent;
    expect((await client.call('get_skill', { uri: skills[0].uri })).isError).not.toBe(true);
    expect(skills[0].description).toBe('bell');
  });

  it('answers malformed requests of any size, and continues', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    const client = await serve(world, {});
    client.write(`{"jsonrpc":"2.0","id":900,"method":"tools/list","params":{"x":"${'y'.repeat(11 * 1024 * 1024)}"}}`);
    await client.waitFor(() => client.lines.some((line) => line.includes('longer than 6291456 bytes')));
    for (const params of ['[]', 'null', '"text"', '7']) {
      client.write(`{"jsonrpc":"2.0","id":"p${params.length}","method":"tools/list","params":${params}}`);
      await client.waitFor(() => client.lines.some((line) => line.includes(`"id":"p${params.length}"`) && line.includes('-32600')));
    }
    for (const [method, params] of [
      ['resources/read', {}],
      ['resources/list', { cursor: 5 }],
      ['completion/complete', {}],
      ['tools/call', { name: 5 }],
      ['tools/call', { name: 'skill', arguments: [] }],
    ] as const) {
      const { error } = await client.request(method, params);
      expect(error?.code, method).toBe(-32602);
      expect(error?.message).toContain('Invalid');
    }
    expect(textOf(await client.call('list_skills', { query: 'word '.repeat(10_000) }))).toMatch(/^Found \d+ skills? for 'word word/);
    expect((await client.call('skill', { name: 'good' })).isError).not.toBe(true);
  });

  it('answers everything that has an id and a method', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    const client = await serve(world, {});
    const odd = [
      '"id":"o1","method":"tools/call","params":{"_meta":5,"name":"skill","arguments":{"name":"good"}}',
      '"id":"o2","method":"ping","params":{"_meta":{"progressToken":null}}',
      '"id":"o3","method":"ping","params":{"_meta":{"io.modelcontextprotocol/related-task":5}}',
      '"id":"o4","method":"ping","extra":1',
      '"id":"o5","method":"ping","result":{}',
      '"id":1.5,"method":"ping"',
    ];
    for (const [index, line] of odd.entries()) {
      client.write(`{"jsonrpc":"2.0",${line}}`);
      await client.waitFor(() => client.lines.filter((each) => each.includes('-32600')).length === index + 1, 3000);
    }
    expect((await client.request('ping')).result).toBeDefined();
  });

  it('answers all requests before the end of stdin, including an unterminated last line', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/large', { body: 'x'.repeat(400_000) });
    const client = await serve(world, {});
    for (let id = 101; id <= 110; id++)
      client.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"skill","arguments":{"name":"large"}}}`);
    client.write('{"jsonrpc":"2.0","id":111,"method":"skills/list"}');
    client.process.stdin.write(
      '{"jsonrpc":"2.0","id":112,"method":"tools/call","params":{"name":"list_skills","arguments":{"query":"large"}}}',
    );
    expect(await client.close()).toBe(0);
    await client.waitFor(() => client.lines.length >= 13);
    for (let id = 101; id <= 112; id++)
      expect(
        client.lines.some((line) => line.includes(`"id":${id}`)),
        String(id),
      ).toBe(true);
  });

  it('sends many large files at once to a slow reader', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    world.write('project/.agents/skills/good/large.bin', Buffer.alloc(8 * 1024 * 1024, 255));
    const client = await serve(world, {});
    // A call that waits too long for memory is refused, and can be repeated.
    const read = async (): Promise<Json> => {
      const result = await client.call('get_skill', { uri: 'skill://good/large.bin' });
      return result.isError === true && textOf(result).includes('Try again in a moment.') ? read() : result;
    };
    const results = await Promise.all(Array.from({ length: 12 }, read));
    for (const result of results) expect(result.structuredContent.blob.length).toBe(Math.ceil((8 * 1024 * 1024) / 3) * 4);
    expect(client.stderr).toBe('');
  });

  it('continues after invalid lines and an unknown tool', async () => {
    const world = createWorld();
    world.skill('project/.agents/skills/good');
    const client = await serve(world, {});
    for (const line of ['', 'not json', '{', '[]', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"x"}', 'null'])
      client.write(line);
    const unknown = await client.request('tools/call', { name: 'no_such_tool', arguments: {} });
    expect(unknown.error?.message).toContain('skill, list_skills, get_skill');
    expect((await client.request('resources/list', { cursor: 'nonsense' })).error?.message).toContain('without a cursor');
    expect(textOf(await client.call('list_skills', { cursor: 'bm9uc2Vuc2U' }))).toContain('without a cursor');
    expect((await client.call('skill', { name: 'good' })).isError).not.toBe(true);
  });
});
