/** Lists of as many skills as a server may have are read in turns. */
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ownContext } from '../src/sources/context.js';
import { findSkills } from '../src/sources/upstream/skills/index.js';

const COUNT = 10_000;
const uriOf = (at: number) => `skill://s${at}/SKILL.md`;
const entries = Array.from({ length: COUNT }, (_, at) => ({
  uri: uriOf(at),
  frontmatter: { name: `s${at}`, description: 'What it does. '.repeat(50) },
  resources: 'dynamic',
}));
const resources = Array.from({ length: COUNT }, (_, at) => ({
  uri: uriOf(at),
  name: `s${at}`,
  description: 'What it does.',
  annotations: { lastModified: '2026-01-01' },
}));

/** The processor time of the longest turn while the skills are looked for. */
async function longestTurn(declared: boolean): Promise<number> {
  let longest = 0;
  let last = process.cpuUsage();
  let isOver = false;
  const watch = () => {
    longest = Math.max(longest, process.cpuUsage(last).user / 1000);
    last = process.cpuUsage();
    if (!isOver) globalThis.setImmediate(watch);
  };
  globalThis.setImmediate(watch);
  const capabilities = declared ? { extensions: { 'io.modelcontextprotocol/skills': {} } } : {};
  const channel = { request: async () => ({ skills: entries }) };
  const { skills } = await findSkills(
    { channel, origin: 'x', group: [], capabilities, resources: declared ? [] : resources },
    ownContext(),
  );
  // The last turn ends with this.
  await setImmediate();
  isOver = true;
  expect(skills).toHaveLength(COUNT);
  return longest;
}

it.each([
  ['that the extension lists', true],
  ['among the resources', false],
])('those %s', async (_where, declared) => {
  expect(await longestTurn(declared)).toBeLessThan(100);
});
