/** Sources that an administrator adds for a team: what everyone is served, and what the page shows. */
import { createHash } from 'node:crypto';
import { readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PageData, PageSkill } from '../../src/serve/http/page/shapes.js';
import { openTab, useBrowser, violationsEverywhere } from '../support/browser.js';
import { run } from '../support/command.js';
import { createWorld, type World } from '../support/folders.js';
import { startHttp } from '../support/http-server.js';
import { describeWith } from '../support/requirements.js';
import { useSources } from '../support/start.js';
import { newKey, signedCommit } from './ssh-keys.js';
import { commit, git, newRepository, skillText } from './support.js';

useSources();

const TOKENS = ['ada-token-9f31', 'bob-token-77aa'];

/** A server with two users, one signed source and one unsigned. */
async function team() {
  const [world, key] = [createWorld(), newKey()];
  const [signed, unsigned] = [
    newRepository({ 'pdf/SKILL.md': skillText('pdf'), 'mail/SKILL.md': skillText('mail') }),
    newRepository({ 'web/SKILL.md': skillText('web') }),
  ];
  signedCommit(signed, key, { 'pdf/SKILL.md': skillText('pdf', 'Signed.') });
  const tokens = TOKENS.map((token, at) => ({ name: `user-${at}`, sha256: createHash('sha256').update(token).digest('hex') }));
  world.write('project/footbridge.json', JSON.stringify({ http: { tokens }, trust: { signers: [key.text] } }));
  const sources = [`git+file://${signed}`, `git+file://${unsigned}`];
  for (const source of sources) expect(await command(world, 'add', source, '--yes')).toMatchObject({ code: 0 });
  return { world, key, signed, sources };
}

const command = (world: World, ...args: string[]) => run(world, ...args, '--config', 'footbridge.json');

async function skillsFor(token: string, origin: string): Promise<readonly PageSkill[]> {
  const answer = await fetch(`${origin}/api/catalog`, { headers: { authorization: `Bearer ${token}` } });
  const data: PageData = JSON.parse(await answer.text());
  return data.skills;
}

it('everybody gets the skills, with origin, version, signer and the time of the last change of each', async () => {
  const { key, signed, sources, world } = await team();
  const lock: { sources: { source: string; content: string }[] } = JSON.parse(readFileSync(world.path('project/footbridge.lock'), 'utf8'));
  const { content = '' } = lock.sources.find(({ source }) => source === sources[0]) ?? {};
  const tree = world.path(join('home/.local/state/footbridge/store/trees', content.replace('sha256:', '')));
  const before = new Date('2026-01-02T03:04:05Z');
  for (const name of ['pdf', 'mail']) utimesSync(join(tree, name, 'SKILL.md'), before, before);
  const { origin } = await startHttp(world);
  for (const token of TOKENS) {
    const skills = await skillsFor(token, origin);
    const signer = expect.stringMatching(/^SHA256:/);
    const version = expect.stringContaining(git(signed, 'rev-parse', 'HEAD').slice(0, 7));
    const modified = before.toISOString();
    expect(skills.find(({ name }) => name === 'pdf')).toMatchObject({ origin: sources[0], version, signer, modified });
    expect(skills.find(({ name }) => name === 'web')).toMatchObject({ origin: sources[1], signer: 'unsigned' });
  }
  expect((await fetch(`${origin}/api/catalog`)).status).toBe(401);

  signedCommit(signed, key, { 'pdf/SKILL.md': skillText('pdf', 'Better.') });
  expect(await command(world, 'update', '--yes')).toMatchObject({ code: 0 });
  const head = git(signed, 'rev-parse', 'HEAD').slice(0, 7);
  const find = async (name: string) => (await skillsFor(TOKENS[0] ?? '', origin)).find((each) => each.name === name);
  await expect.poll(async () => (await find('pdf'))?.version).toContain(head);
  expect(await find('mail')).toMatchObject({ modified: before.toISOString() });
  expect((await find('pdf'))?.modified).not.toBe(before.toISOString());

  commit(signed, { 'pdf/SKILL.md': skillText('pdf', 'Unsigned.') });
  expect(await command(world, 'update', '--yes')).toMatchObject({ code: 1, stdout: expect.stringContaining('now is not signed') });
  expect((await find('pdf'))?.version).toContain(head);
});

describeWith('chromium', 'the page', (chromium) => {
  const browser = useBrowser(chromium);

  it('shows them', async () => {
    const { sources, world } = await team();
    const { origin } = await startHttp(world);
    const { page } = await openTab(browser(), `${origin}/#/open?uri=skill://pdf/SKILL.md`);
    await page.getByLabel('Access token').fill(TOKENS[1] ?? '');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'pdf' }).waitFor();
    const facts = (await page.locator('dl.facts').textContent()) ?? '';
    expect(facts).toContain(`From${sources[0]}`);
    expect(facts).toMatch(/Version\S*[0-9a-f]{7}/);
    expect(facts).toContain('Signed bySHA256:');
    expect(facts).toContain(`Last change${new Date().getUTCFullYear()}-`);
    expect(await violationsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.getByRole('link', { name: /^web/ }).click();
    await page.getByText('nobody (unsigned)').waitFor();
    expect(await violationsEverywhere(page)).toEqual([]);
  });
});
