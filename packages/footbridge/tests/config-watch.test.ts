/** The configuration is watched while it is served, with real files that are edited as editors do. */
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findConfig } from '../src/cli/config/index.js';
import { ConfigWatch } from '../src/cli/config/watch.js';
import { processIo } from '../src/cli/io.js';
import { leveled } from '../src/log.js';
import { createWorld } from './support/folders.js';

const servers = (...names: string[]) => JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) });

/** A file that is watched, the names of the servers after each change, and what is logged. */
async function watched(text: string, link?: string) {
  const world = createWorld();
  const file = world.write('project/footbridge.json', text);
  if (link !== undefined) {
    renameSync(file, world.path(link));
    symlinkSync(world.path(link), file);
  }
  const config = await findConfig(file, processIo);
  const updates: string[][] = [];
  const lines: string[] = [];
  const watch = new ConfigWatch(file, {
    config,
    io: processIo,
    changed: (next) => updates.push(Object.keys(next.mcpServers)),
    log: leveled('info', (level, message) => lines.push(`${level}: ${message.replaceAll(file, 'FILE')}`)),
  });
  onTestFinished(() => watch.close());
  return { world, file, watch, updates, lines, warnings: () => lines.filter((line) => line.startsWith('warn')) };
}

const soon = { timeout: 20_000 };
/** Longer than a file is looked at again without a sign. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 2600));

describe('an edit of footbridge.json', () => {
  it('is reported once when servers are added, changed, reordered or removed', async () => {
    const { file, updates, lines } = await watched('{ "skills": [] }');
    const edits = [servers('one'), servers('one', 'two'), servers('two', 'one'), '{}'];
    for (const [index, text] of edits.entries()) {
      writeFileSync(file, text);
      await vi.waitFor(() => expect(updates).toHaveLength(index + 1), soon);
    }
    expect(updates).toEqual([['one'], ['one', 'two'], ['two', 'one'], []]);
    writeFileSync(file, '{ } // the same');
    await quiet();
    expect(updates).toHaveLength(4);
    expect(lines).toEqual([
      'info: FILE: the servers are now one',
      'info: FILE: the servers are now one, two',
      'info: FILE: the servers are now two, one',
      'info: FILE: no servers are configured now',
    ]);
  });

  it('is detected each time another file replaces it', async () => {
    const { world, file, updates, warnings } = await watched(servers());
    for (const name of ['one', 'two', 'three']) {
      renameSync(world.write('project/footbridge.json.tmp', servers(name)), file);
      await vi.waitFor(() => expect(updates.at(-1)).toEqual([name]), soon);
    }
    expect(warnings()).toEqual([]);
  });

  it('that is invalid is reported once with its position, and the servers stay', async () => {
    const { file, updates, warnings } = await watched(servers('one'));
    writeFileSync(file, '{\n  "mcpServers": { "two": { "comand": "x" } }\n}');
    await vi.waitFor(() => expect(warnings()).toHaveLength(1), soon);
    expect(warnings()[0]).toContain('FILE:2:28: mcpServers.two.comand: Unknown key "comand". Did you mean "command"?');
    expect(warnings()[0]).toContain('The previous configuration stays in effect.');
    await quiet();
    expect(updates).toEqual([]);
    writeFileSync(file, '{ "mcpServers": ');
    await vi.waitFor(() => expect(warnings()).toHaveLength(2), soon);
    writeFileSync(file, servers('two'));
    await vi.waitFor(() => expect(updates).toEqual([['two']]), soon);
    expect(warnings()).toHaveLength(2);
  });

  it('is detected when the file is deleted and restored; only a long absence is reported', async () => {
    const { file, updates, warnings } = await watched(servers('one'));
    unlinkSync(file);
    await new Promise((resolve) => setTimeout(resolve, 300));
    writeFileSync(file, servers('two'));
    await vi.waitFor(() => expect(updates).toEqual([['two']]), soon);
    expect(warnings()).toEqual([]);
    unlinkSync(file);
    await vi.waitFor(() => expect(warnings()).toEqual(['warn: FILE is gone. The previous configuration stays in effect.']), soon);
    await quiet();
    expect(warnings()).toHaveLength(1);
    writeFileSync(file, servers('three'));
    await vi.waitFor(() => expect(updates).toEqual([['two'], ['three']]), soon);
  });

  it('of other keys is reported to apply from the next start, while server changes apply at once', async () => {
    const { file, updates, warnings } = await watched(servers('one'));
    writeFileSync(file, JSON.stringify({ skills: ['x'], packs: ['x'], tools: { skill: false }, mcpServers: { two: { command: 'two' } } }));
    await vi.waitFor(() => expect(updates).toEqual([['two']]), soon);
    expect(warnings()).toEqual(['warn: FILE: changes of skills, packs, tools take effect after a restart.']);
    writeFileSync(file, servers('one'));
    await vi.waitFor(() => expect(updates).toHaveLength(2), soon);
    expect(warnings()).toHaveLength(1);
  });

  it('is detected through a link, and when the whole folder is replaced', async () => {
    const linked = await watched(servers(), 'outside/real.json');
    writeFileSync(linked.world.path('outside/real.json'), servers('one'));
    const { world, file, updates } = await watched(servers());
    renameSync(world.project, `${world.project}-old`);
    mkdirSync(world.project);
    writeFileSync(file, servers('two'));
    await vi.waitFor(() => expect([linked.updates, updates]).toEqual([[['one']], [['two']]]), soon);
  });

  it('between the start and the watch is not lost', async () => {
    const { world, updates, watch } = await watched('{}');
    watch.close();
    const config = await findConfig(world.path('project/footbridge.json'), processIo);
    const file = world.write('project/footbridge.json', servers('one'));
    const later = new ConfigWatch(file, {
      config,
      io: processIo,
      changed: (next) => updates.push(Object.keys(next.mcpServers)),
      log: leveled('silent', () => {}),
    });
    onTestFinished(() => later.close());
    await vi.waitFor(() => expect(updates).toEqual([['one']]), soon);
  });

  it('is ignored after the watch has ended', async () => {
    const { file, watch, updates, lines } = await watched(servers('one'));
    writeFileSync(file, servers('two'));
    watch.close();
    await quiet();
    expect([updates, lines]).toEqual([[], []]);
  });
});
