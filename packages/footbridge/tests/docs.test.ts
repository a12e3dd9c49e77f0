/** What the documents show is what the program does: their examples are run. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Source } from 'footbridge';
import { testSource } from 'footbridge/testing';
import { describe, expect, it } from 'vitest';
import { ENTRY, environment } from './support/client.js';
import { createWorld } from './support/folders.js';
import { serve, textOf } from './support/server.js';

const repository = join(import.meta.dirname, '..', '..', '..');
const text = (file: string) => readFileSync(join(repository, file), 'utf8');
const README = text('README.md');

interface Block {
  readonly language: string;
  readonly code: string;
}

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({ language, code }));
}

describe('the README', () => {
  it('is the same in the package', () => expect(text('packages/footbridge/README.md')).toBe(README));

  const shown = blocksOf(README).filter((block) => block.language === 'console');

  it.each(shown.map((block) => [block.code.split('\n')[0] ?? '', block.code] as const))('%s', (line, code) => {
    const command = line.replace(/^\$ /, '').replaceAll('npx footbridge', `"${process.execPath}" "${ENTRY}"`);
    const output = execFileSync('bash', ['-c', command], { cwd: repository, env: environment(createWorld().home), encoding: 'utf8' });
    expect(output).toBe(code.slice(line.length + 1));
  });

  it('shows tool calls with the answers they get', async () => {
    const world = createWorld();
    const client = await serve({ ...world, project: repository }, { args: ['--skills', 'examples/skills'] });
    const blocks = blocksOf(README);
    const calls = blocks.flatMap((block, index) =>
      block.language === 'json' && block.code.includes('"arguments"')
        ? [{ call: JSON.parse(block.code), answer: blocks[index + 1]?.code ?? '' }]
        : [],
    );
    expect(calls.map(({ call }) => call.name)).toEqual(['skill', 'list_skills', 'get_skill']);
    for (const { call, answer } of calls) {
      const got = textOf(await client.call(call.name, call.arguments)).replaceAll(repository, '/home/you/footbridge');
      expect(`${got}\n`.startsWith(answer), `${got}\n---\n${answer}`).toBe(true);
    }
  });

  it('shows configurations that parse and name the command', () => {
    const configurations = blocksOf(README).filter((block) => block.language === 'json' && !block.code.includes('"arguments"'));
    expect(configurations.length).toBeGreaterThan(7);
    for (const { code } of configurations) expect(JSON.stringify(JSON.parse(code))).toMatch(/"npx".*"-y","footbridge"/);
  });

  it('shows a library example that serves', async () => {
    const world = createWorld();
    const code = blocksOf(README).find((block) => block.language === 'js')?.code ?? '';
    // In the repository, so that its imports are found; named for this process, so that runs do not meet.
    const file = join(repository, 'coverage', `readme-example-${process.pid}.mjs`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    const input = [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
      },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ];
    const output = await answers(file, world.home, input);
    expect(output).toContain('skill://');
    expect(output).toContain('<name>csv-cleanup</name>');
  });
});

/** Runs a server in the repository until it has answered each message; resolves with what it wrote. */
async function answers(file: string, home: string, messages: readonly object[]): Promise<string> {
  const child = spawn(process.execPath, [file], { cwd: repository, env: environment(home) });
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.split('\n').length > messages.length) resolve();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on('exit', () => reject(new Error(output)));
    for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  });
  child.removeAllListeners('exit');
  child.kill();
  return output;
}

describe('links between documents', () => {
  it.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'])('of %s lead somewhere', (file) => {
    for (const [, target = ''] of text(file).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g))
      expect(existsSync(join(repository, target)), target).toBe(true);
  });
});

// The source that CONTRIBUTING shows is held to the contract of all sources, by the test that CONTRIBUTING shows.
testSource('of CONTRIBUTING', async () => {
  const [source] = blocksOf(text('CONTRIBUTING.md')).filter((block) => block.language === 'ts');
  const file = join(repository, 'coverage', `contributing-example-${process.pid}.ts`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, source?.code ?? '');
  const { memorySkill } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { memorySkill: (options: object) => Source };
  return {
    source: memorySkill({ name: 'greeting', description: 'Greets people: "hello".', instructions: 'Say hello.' }),
    skill: 'greeting',
  };
});
