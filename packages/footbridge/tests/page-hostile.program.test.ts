/** The catalog page with malicious or very large content. */
import { expect, it } from 'vitest';
import { defineResource } from '../src/sources/define/definition.js';
import { defineResources } from '../src/sources/define/index.js';
import { openTab, picture, useBrowser } from './support/browser.js';
import { HOSTILE_SKILL, HOSTILE_SVG } from './support/hostile-skill.js';
import { startPageServer } from './support/page-server.js';
import { createPageWorld, manySkills } from './support/page-world.js';
import { describeWith } from './support/requirements.js';
import { useSources } from './support/start.js';

useSources();

describeWith('chromium', 'the catalog page', (chromium) => {
  const browser = useBrowser(chromium);

  it('executes no script from a skill', async () => {
    const world = createPageWorld();
    world.write('project/.agents/skills/hostile/SKILL.md', HOSTILE_SKILL);
    world.write('project/.agents/skills/hostile/drawing.svg', HOSTILE_SVG);
    world.skill('project/.agents/skills/named', {
      name: '"<img src=x onerror=window.taken=40>"',
      description: '"</script><script>window.taken=41</script>"',
    });
    const server = await startPageServer(world);
    const { page, faults } = await openTab(browser(), `${server.url}#/open?uri=skill://hostile/SKILL.md`);
    const panel = page.getByRole('tabpanel');
    await panel.getByText('The end of it.').waitFor();
    await picture(page, 'hostile');
    // What may be followed leads out by http or mail, or stays in the page.
    const links = await panel.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    expect(links.filter((href) => href === null || !/^(?:https?:\/\/|mailto:|#)/.test(href))).toEqual([]);
    expect(
      await panel
        .locator('script, iframe, object, embed, svg, form, style, link, meta, base, [onerror], [onload], [onmouseover], [ontoggle]')
        .count(),
    ).toBe(0);
    for (const name of ['link javascript', 'link entity', 'link data', 'link protocol', 'link out', 'link absolute', 'link reference'])
      expect(await panel.getByRole('link', { name, exact: true }).count(), name).toBe(0);
    await panel.getByText('<b>', { exact: true }).waitFor();
    for (const text of await panel.locator('.no-link').all()) await text.click();
    await page.goto(`${server.url}#/open?uri=skill://hostile/SKILL.md&file=drawing.svg`);
    await panel.getByText('http://www.w3.org/2000/svg').waitFor();
    await page.getByRole('link', { name: /^<img src=x onerror=window\.taken=40>/ }).click();
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=window.taken=40>' }).waitFor();
    await page.goto(`${server.url}#/try?uri=skill://hostile/SKILL.md`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('region', { name: 'content', exact: true }).getByText('The end of it.').waitFor();
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it('stays responsive with long or deeply nested text', async () => {
    const world = createPageWorld();
    const bodies = {
      deep: '>'.repeat(50_000),
      nested: Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- x\n`).join(''),
      numbered: '1. '.repeat(50_000),
      tasks: '- [ ] a\n'.repeat(30_000),
      brackets: '['.repeat(200_000),
      stars: '*a **b '.repeat(40_000),
      long: 'word '.repeat(100_000),
    };
    for (const [name, body] of Object.entries(bodies))
      world.skill(`project/.agents/skills/${name}`, { body: `${body}\n\nend of ${name}\n` });
    const server = await startPageServer(world);
    const { page, faults } = await openTab(browser(), server.url);
    for (const name of Object.keys(bodies)) {
      await page.goto(`${server.url}#/open?uri=skill://${name}/SKILL.md`);
      await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain(`end of ${name}`);
    }
    expect(faults).toEqual([]);
  });

  it('stays usable with ten thousand skills', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [manySkills(10_000)] });
    const { page, faults } = await openTab(browser(), server.url);
    const results = page.getByRole('navigation', { name: 'Results' }).getByRole('link');
    await expect.poll(() => results.count()).toBe(200);
    await page.getByRole('button', { name: 'Show 200 more' }).click();
    await expect.poll(() => results.count()).toBe(400);
    await page.getByRole('searchbox').fill('skill-9999');
    await page.getByRole('status').filter({ hasText: '1 of 10,004' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('tabpanel').getByText('Instructions of skill-9999.').waitFor();
    await expect.poll(() => page.getByRole('combobox', { name: 'Category' }).getByRole('option').count()).toBe(21);
    expect(faults).toEqual([]);
  });

  it('reads resources whose URI does not fit into a header', async () => {
    const uri = 'notes://größe/日本';
    const notes = defineResource({ uri, name: 'größe', read: () => 'Größer als gedacht.' });
    const server = await startPageServer(createPageWorld(), { sources: [defineResources([notes])] });
    const { page, faults } = await openTab(browser(), server.url);
    await page.getByRole('link', { name: /^größe/ }).click();
    await page.getByRole('tabpanel').getByText('Größer als gedacht.').waitFor();
    expect(faults).toEqual([]);
  });
});
