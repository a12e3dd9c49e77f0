/** Plugins and marketplaces: their skills are used, and nothing else of them. */
import { expect, it } from 'vitest';
import { get, newMachine, newRepository, skillText, writeFiles } from './support.js';

const SERVERS = JSON.stringify({ mcpServers: { evil: { command: 'touch', args: ['ran'] } } });
const PLUGIN = {
  '.claude-plugin/plugin.json': JSON.stringify({ name: 'office', version: '1.0.0', mcpServers: './.mcp.json' }),
  '.mcp.json': SERVERS,
  'commands/hello.md': '# Hello\n',
  'hooks/hooks.json': '{}',
  'skills/pdf/SKILL.md': skillText('pdf'),
};

it('a plugin folder has its skills', async () => {
  const machine = newMachine();
  writeFiles(machine.home, Object.fromEntries(Object.entries(PLUGIN).map(([path, content]) => [`office/${path}`, content])));
  writeFiles(machine.home, { 'agent/plugin.json': JSON.stringify({ name: 'agent' }), 'agent/skills/web/SKILL.md': skillText('web') });
  for (const [folder, name] of [
    ['./office', 'pdf'],
    ['./agent', 'web'],
  ] as const) {
    const { skills } = await get(folder, machine);
    expect(skills.map((skill) => [skill.name, skill.files.map(({ path }) => path)])).toEqual([[name, ['SKILL.md']]]);
  }
});

it('a marketplace in a repository has the skills of all its plugins', async () => {
  const marketplace = { name: 'team', plugins: ['office', 'web'].map((name) => ({ name, source: `./plugins/${name}` })) };
  const repository = newRepository({
    '.claude-plugin/marketplace.json': JSON.stringify(marketplace),
    ...Object.fromEntries(Object.entries(PLUGIN).map(([path, content]) => [`plugins/office/${path}`, content])),
    'plugins/web/skills/web/SKILL.md': skillText('web'),
  });
  const machine = newMachine();
  const { skills } = await get(`git+file://${repository}`, machine);
  expect(skills.map(({ name }) => name).sort()).toEqual(['pdf', 'web']);
  expect((await get(`git+file://${repository}#:plugins/office`, machine)).skills.map(({ name }) => name)).toEqual(['pdf']);
});
