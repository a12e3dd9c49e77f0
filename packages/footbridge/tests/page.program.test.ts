/** The catalog page, in a real browser. */
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { openTab, picture, scrollsSideways, tabInto, tabTo, useBrowser, violations, violationsEverywhere } from './support/browser.js';
import { createWorld } from './support/folders.js';
import { postModern, startHttp } from './support/http-server.js';
import { startPageServer } from './support/page-server.js';
import { createPageWorld, pageResources } from './support/page-world.js';
import { describeWith } from './support/requirements.js';

describeWith('chromium', 'the catalog page', (chromium) => {
  const browser = useBrowser(chromium);

  it('finds a skill by search, opens it by keyboard, and renders it', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [pageResources()] });
    const { page, faults } = await openTab(browser(), server.url);
    await page.getByRole('heading', { level: 1, name: 'Every skill, in every host' }).waitFor();
    await picture(page, 'welcome');
    await page.keyboard.press('/');
    await page.keyboard.type('changelog notes');
    await page.getByRole('status').filter({ hasText: '1 of 8' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'release-notes' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('release-notes');
    await page.getByRole('heading', { level: 3, name: 'Steps' }).waitFor();
    await page.getByRole('img', { name: 'How it goes' }).waitFor();
    await expect.poll(() => page.getByRole('rowheader', { name: 'description' }).count()).toBe(1);
    const web = page.getByRole('link', { name: 'the web' });
    expect(await web.getAttribute('href')).toBe('https://example.org/a?b=1&c=2');
    expect(await web.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await page.getByRole('checkbox', { name: 'done' }).isChecked()).toBe(true);
    await picture(page, 'skill-light');
    await page.getByRole('button', { name: 'Source' }).click();
    await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain('## Steps');
    await page.getByRole('button', { name: 'Rendered' }).click();
    await page.getByRole('link', { name: 'Git', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'git' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows which upstreams are unavailable', async () => {
    const server = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
    const { origin } = await startHttp(createWorld(), { config: { mcpServers: { broken: server } } });
    const { page, faults } = await openTab(browser(), `${origin}/`);
    await page.getByText('Server broken is unavailable (exited)').waitFor();
    expect(faults).toEqual([]);
  });

  it('lists the files of a skill, opens one, and follows a link back', async () => {
    const server = await startPageServer(createPageWorld());
    const { page, faults } = await openTab(browser(), `${server.url}#/open?uri=skill://release-notes/SKILL.md`);
    await page.getByRole('link', { name: 'references/entries.md' }).click();
    await page.getByRole('heading', { level: 2, name: 'Entries' }).waitFor();
    await page.getByRole('link', { name: 'the skill' }).click();
    await page.getByRole('heading', { level: 2, name: 'Release notes' }).waitFor();
    await page.getByRole('tab', { name: 'Content' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('rowheader', { name: 'assets/Übersicht 1.csv' }).waitFor();
    await picture(page, 'files');
    await page.getByRole('link', { name: 'assets/Übersicht 1.csv' }).click();
    await page.getByText('a,b').waitFor();
    // A link to a file is to be shared: it opens the same in another tab.
    const other = await openTab(browser(), page.url());
    await other.page.getByText('a,b').waitFor();
    expect([...faults, ...other.faults]).toEqual([]);
  });

  it('shows who may see an item and how each kind of host gets it', async () => {
    const server = await startPageServer(createPageWorld(), {
      sources: [pageResources()],
      token: 'sesame',
      roles: {
        reader: { skills: ['*'], resources: ['*'], tools: ['*'] },
        writer: { skills: ['release-*'], resources: [], tools: ['*'] },
        nobody: {},
      },
    });
    const { page } = await openTab(browser(), `${server.url}#/open?uri=skill://release-notes/SKILL.md&tab=audience`);
    await page.getByLabel('Access token').fill('sesame');
    await page.getByRole('button', { name: 'Sign in' }).click();
    // The roles of others are shown to admins only.
    await expect.poll(() => page.getByRole('tabpanel').getByRole('listitem').allTextContents()).toEqual(['reader']);
    await page.getByRole('tab', { name: 'How hosts see it' }).click();
    await page.getByRole('heading', { name: 'Tools only' }).waitFor();
    const panel = page.getByRole('tabpanel');
    for (const call of [
      'skill({ "name": "release-notes" })',
      'get_skill({ "uri": "skill://release-notes/SKILL.md" })',
      'resources/read { "uri": "skill://release-notes/SKILL.md" }',
      'skills/get { "uri": "skill://release-notes/SKILL.md" }',
    ])
      await panel.getByText(call, { exact: true }).waitFor();
    await picture(page, 'hosts');
    await page.getByRole('link', { name: /^Office Letters/ }).click();
    await page.getByRole('heading', { level: 1, name: /^Office Letters/ }).waitFor();
    await page.getByRole('tab', { name: 'How hosts see it' }).click();
    await panel.getByText('Not included.').waitFor();
    await page.getByRole('link', { name: /^Audit log/ }).click();
    await page.getByRole('alert').filter({ hasText: /admin/i }).waitFor();
    await page.getByRole('tab', { name: 'Who may see it' }).click();
    await panel.getByRole('listitem').getByText('reader').waitFor();
    await panel.getByText(/admin/).first().waitFor();
  });

  it('filters by kind, category and origin, and reports no matches', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [pageResources()] });
    const { page, faults } = await openTab(browser(), server.url);
    const results = page.getByRole('navigation', { name: 'Results' }).getByRole('link');
    await page.getByRole('radio', { name: 'Resources' }).check();
    await expect.poll(() => results.count()).toBe(3);
    await page.getByRole('combobox', { name: 'Category' }).selectOption('documents');
    await expect.poll(() => results.count()).toBe(2);
    await page.getByRole('radio', { name: 'All' }).check();
    await page.getByRole('combobox', { name: 'Origin' }).selectOption('define');
    await expect.poll(() => results.count()).toBe(3);
    await page.getByRole('searchbox', { name: 'Search skills and resources' }).fill('zeppelin');
    await page.getByText('No matches.').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await expect.poll(() => results.count()).toBe(8);
    expect(faults).toEqual([]);
  });

  it('tries a resource, a template and invalid input', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [pageResources()] });
    const { page, faults } = await openTab(browser(), `${server.url}#/try`);
    const uri = page.getByRole('combobox', { name: 'URI or template' });
    const run = page.getByRole('button', { name: 'Run' });
    await uri.fill('docs://limits');
    await run.click();
    const structure = page.getByRole('region', { name: 'structuredContent' });
    await structure.getByText('"requests": 600').waitFor();
    await page.getByRole('region', { name: 'content', exact: true }).getByText('600').first().waitFor();
    await uri.fill('docs://articles/{id}{?language}');
    await page.getByRole('combobox', { name: 'id' }).fill('42');
    await run.click();
    await structure.getByText('Article 42').waitFor();
    await picture(page, 'try');
    await uri.fill('docs://limit');
    await run.click();
    await page.getByRole('alert').filter({ hasText: 'InvalidURI' }).waitFor();
    await page.getByText('Variables as JSON').first().click();
    await page.getByRole('textbox', { name: 'Variables as JSON' }).fill('[');
    await run.click();
    await page.getByRole('alert').filter({ hasText: 'must be a JSON object' }).waitFor();
    await page.goto(`${server.url}#/open?uri=docs://articles/%7Bid%7D%7B%3Flanguage%7D`);
    await page.getByRole('combobox', { name: 'id' }).fill('7');
    await run.click();
    await structure.getByText('Article 7').waitFor();
    expect(faults).toEqual([]);
  });

  it('has a copyable snippet for each host', async () => {
    const server = await startPageServer(createPageWorld());
    const { page, faults } = await openTab(browser(), server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('link', { name: 'Set up a host' }).first().click();
    await page.getByRole('button', { name: 'Copy the set-up for Claude Code' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`claude mcp add --transport http footbridge ${server.endpoint}`);
    const hosts = [
      'VS Code',
      'Cursor',
      'Codex',
      'Gemini CLI',
      'Qwen Code',
      'opencode',
      'Zed',
      'Windsurf',
      'Claude Desktop',
      'MCP Inspector',
    ];
    for (const host of hosts) await page.getByRole('button', { name: `Copy the set-up for ${host}` }).waitFor();
    await picture(page, 'setup');
    expect(faults).toEqual([]);
  });

  it('requires a token, and stores it for the tab only', async () => {
    const server = await startPageServer(createPageWorld(), { token: 'sesame' });
    const { page } = await openTab(browser(), server.url);
    const field = page.getByLabel('Access token');
    await field.fill('with blanks');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: 'no spaces' }).waitFor();
    await field.fill('wrong');
    await picture(page, 'sign-in');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: 'Unknown token.' }).waitFor();
    await field.fill('sesame');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: /^git/ }).click();
    await page.getByText('Instructions of git.').waitFor();
    await page.reload();
    await page.getByText('Instructions of git.').waitFor();
    await page.getByRole('link', { name: 'Set up a host' }).first().click();
    const main = page.getByRole('main');
    await main.getByText('FOOTBRIDGE_TOKEN', { exact: true }).first().waitFor();
    expect(await main.textContent()).not.toContain('sesame');
    await picture(page, 'setup-protected');
    const sibling = await page.context().newPage();
    await sibling.goto(server.url);
    await sibling.getByLabel('Access token').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await field.waitFor();
    await page.reload();
    await field.waitFor();
  });

  it('reports an unreachable server and the rate limit', async () => {
    const server = await startPageServer(createPageWorld(), { token: 'sesame', limits: { burst: 1, callsPerMinute: 1 } });
    const { page } = await openTab(browser(), server.url);
    await page.getByLabel('Access token').fill('sesame');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: /^git/ }).waitFor();
    const enough = page.getByRole('alert').filter({ hasText: /Try again in \d+ seconds?/ });
    while ((await enough.count()) === 0) await page.getByRole('button', { name: 'Refresh' }).click();
    await server.close();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').filter({ hasText: 'unreachable' }).waitFor();
    await page.getByRole('link', { name: /^git/ }).waitFor();
  });

  it('follows the system theme until one is chosen', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [pageResources()] });
    const { page, faults } = await openTab(browser(), `${server.url}#/open?uri=skill://release-notes/SKILL.md`, { colorScheme: 'dark' });
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await page.getByRole('heading', { level: 3, name: 'Steps' }).waitFor();
    const dark = await ground();
    await picture(page, 'skill-dark');
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await expect.poll(ground).not.toBe(dark);
    await page.reload();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await expect.poll(ground).toBe(dark);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await ground()).toBe(dark);
    expect(faults).toEqual([]);
  });

  it('fits a phone', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [pageResources()] });
    const { page, faults } = await openTab(browser(), server.url, { viewport: { width: 360, height: 740 }, hasTouch: true });
    await page.getByRole('link', { name: /^release-notes/ }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await picture(page, 'phone-list');
    await page.getByRole('link', { name: /^release-notes/ }).tap();
    await page.getByRole('heading', { level: 3, name: 'Steps' }).waitFor();
    await page.getByRole('searchbox').waitFor({ state: 'hidden' });
    expect(await scrollsSideways(page)).toBe(false);
    await picture(page, 'phone-skill');
    await page.getByRole('tab', { name: 'How hosts see it' }).tap();
    await page.getByRole('heading', { name: 'Tools only' }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await page.goto(`${server.url}#/`);
    await page.goto(`${server.url}#/open?uri=skill://release-notes/SKILL.md&tab=hosts`);
    const bounds = await page.getByRole('tab', { name: 'How hosts see it' }).boundingBox();
    expect((bounds?.x ?? 360) + (bounds?.width ?? 0)).toBeLessThanOrEqual(360);
    await page.goto(`${server.url}#/setup`);
    await page.getByRole('heading', { level: 1, name: 'Set up a host' }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    const lines =
      '[...document.querySelectorAll(".code-box .word")].filter((word) => /^-/.test(word.textContent)).map((word) => word.getClientRects().length)';
    expect(new Set(await page.evaluate<number[]>(lines))).toEqual(new Set([1]));
    await picture(page, 'phone-setup');
    await page.goto(`${server.url}#/try?uri=docs://limits`);
    await page.getByRole('button', { name: 'Run' }).tap();
    await page.getByRole('region', { name: 'structuredContent' }).waitFor();
    expect(await scrollsSideways(page)).toBe(false);
    await page.goto(`${server.url}#/`);
    await page.getByRole('searchbox').waitFor();
    expect(faults).toEqual([]);
  });

  it('shows admins upstreams, uses and findings: by keyboard, on a phone, dark and light, without accessibility violations', async () => {
    const world = createPageWorld();
    const notes = { command: process.execPath, args: [join(import.meta.dirname, 'fixtures', 'notes-v2.mjs')] };
    const broken = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
    const { endpoint, origin } = await startHttp(world, { config: { mcpServers: { notes, broken } } });
    await postModern(endpoint, 'tools/call', { name: 'skill', arguments: { name: 'git' } });
    const { page, faults } = await openTab(browser(), `${origin}/`);
    const insight = page.getByRole('link', { name: 'Insight' });
    await insight.waitFor();
    await tabTo(page, /^Insight$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Insight' }).waitFor();
    await page.getByRole('heading', { level: 3, name: 'broken unavailable' }).waitFor();
    await page.getByRole('row', { name: /^git 1 / }).waitFor();
    await tabTo(page, /^\d+ tools?$/);
    await page.keyboard.press('Enter');
    await page.locator('.offers dd').first().waitFor();
    await picture(page, 'insight-light');
    expect(faults).toEqual([]);
    // It ends on a phone, in the dark.
    expect(await violationsEverywhere(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
    await picture(page, 'insight-phone-dark');
    await page.goto(`${origin}/#/setup`);
    const link = await page.getByRole('link', { name: 'Add to Cursor' }).getAttribute('href');
    const config = new URL(link ?? '').searchParams.get('config') ?? '';
    expect(JSON.parse(Buffer.from(config, 'base64').toString())).toEqual({ url: endpoint });
    const code = await page.getByRole('link', { name: 'Add to VS Code' }).getAttribute('href');
    expect(JSON.parse(decodeURIComponent((code ?? '').replace('vscode:mcp/install?', '')))).toMatchObject({ type: 'http', url: endpoint });
    await page.getByText(`npx footbridge install --url ${endpoint}`).waitFor();
    await picture(page, 'setup-phone-dark');
    expect(await violations(page)).toEqual([]);
  });

  it('has no accessibility violations in any view, dark or light, on a phone or a desktop', async () => {
    const open = await startPageServer(createPageWorld(), { sources: [pageResources()] });
    const guarded = await startPageServer(createPageWorld(), { token: 'sesame' });
    const views = [
      [`${open.url}#/`, 'heading', 'Every skill, in every host'],
      [`${open.url}#/open?uri=skill://release-notes/SKILL.md`, 'heading', 'Steps'],
      [`${open.url}#/try?uri=docs://limits`, 'button', 'Run'],
      [`${open.url}#/setup`, 'heading', 'Set up a host'],
      [guarded.url, 'button', 'Sign in'],
    ] as const;
    const found: unknown[] = [];
    for (const [url, role, name] of views) {
      const { page } = await openTab(browser(), url);
      await page.getByRole(role, { name }).first().waitFor();
      for (const violation of await violationsEverywhere(page)) found.push([url.replace(/^.*#/, '#'), violation]);
      await page.close();
    }
    expect(found).toEqual([]);
  });

  it('needs no mouse', async () => {
    const server = await startPageServer(createPageWorld(), { sources: [pageResources()], token: 'sesame' });
    const { page } = await openTab(browser(), server.url);
    const { keyboard } = page;
    const heading = (name: string) => page.getByRole('heading', { name, exact: true }).first();
    const activate = async (target: Locator) => {
      await tabInto(page, target);
      await keyboard.press('Enter');
    };
    await tabInto(page, page.getByLabel('Access token'));
    await keyboard.type('sesame');
    await keyboard.press('Enter');
    await heading('Every skill, in every host').waitFor();

    await keyboard.press('/');
    await keyboard.type('changelog notes');
    await page.getByRole('status').filter({ hasText: '1 of 8' }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await heading('Steps').waitFor();
    await activate(page.getByRole('button', { name: 'Source' }));
    await expect.poll(() => page.getByRole('tabpanel').textContent()).toContain('## Steps');
    await tabInto(page, page.getByRole('button', { name: 'Rendered' }));
    await keyboard.press('Space');
    await activate(page.getByRole('link', { name: 'references/entries.md' }));
    await heading('Entries').waitFor();
    await activate(page.getByRole('link', { name: 'the skill' }));
    await heading('Steps').waitFor();
    await tabInto(page, page.getByRole('tab', { name: 'Content' }));
    await keyboard.press('ArrowRight');
    await page.getByRole('rowheader', { name: 'assets/Übersicht 1.csv' }).waitFor();

    await activate(page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Try it' }));
    await tabInto(page, page.getByRole('combobox', { name: 'URI or template' }));
    await keyboard.press('ControlOrMeta+a');
    await keyboard.type('docs://limits');
    await keyboard.press('Escape');
    await activate(page.getByRole('button', { name: 'Run' }));
    await page.getByRole('region', { name: 'structuredContent' }).getByText('"requests": 600').waitFor();

    await activate(page.getByRole('link', { name: 'Set up a host' }).first());
    await heading('Set up a host').waitFor();
    await tabInto(page, page.getByRole('button', { name: 'Copy the set-up for Claude Code' }));
    await activate(page.getByRole('button', { name: /^Theme: auto/ }));
    await page.getByRole('button', { name: /^Theme: (light|dark)/ }).waitFor();
    await activate(page.getByRole('button', { name: 'Sign out' }));
    await page.getByLabel('Access token').waitFor();
  });

  it('shows text from right to left where it is written so, and code from left to right', async () => {
    const world = createWorld();
    const body = '# כותרת\n\nשלום עולם עם `npm start` בסוף.\n\n1. צעד ראשון\n\nIn English.';
    world.write('project/.agents/skills/hebrew/SKILL.md', `---\nname: hebrew\ndescription: כותב מסמכים.\n---\n\n${body}\n`);
    const server = await startPageServer(world);
    const { page } = await openTab(browser(), `${server.url}#/open?uri=skill://hebrew/SKILL.md`);
    const title = page.getByRole('heading', { name: 'כותרת' });
    await title.waitFor();
    const isAtRight = (text: string) =>
      page.evaluate(`(() => {
        const range = document.createRange();
        const walker = document.createTreeWalker(document.querySelector('.markdown'), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) if (walker.currentNode.data.includes('${text}')) break;
        range.selectNode(walker.currentNode);
        const [text, column] = [range.getBoundingClientRect(), document.querySelector('.markdown').getBoundingClientRect()];
        return column.right - text.right < text.left - column.left;
      })()`);
    expect([await isAtRight('כותרת'), await isAtRight('צעד'), await isAtRight('In English')]).toEqual([true, true, false]);
    const directionOf = (selector: string) => page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`);
    expect([await directionOf('.lead'), await directionOf('.listing .about'), await directionOf('.markdown code')]).toEqual([
      'rtl',
      'rtl',
      'ltr',
    ]);
  });

  it('explains an empty catalog to a caller without roles', async () => {
    const roles = { reader: {}, writer: { skills: ['*'], tools: ['*'] } };
    const server = await startPageServer(createPageWorld(), { token: 'sesame', roles });
    const { page, faults } = await openTab(browser(), server.url);
    await page.getByLabel('Access token').fill('sesame');
    faults.length = 0;
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your roles show nothing' }).waitFor();
    await page.getByText('Your role reader includes no skills or resources').waitFor();
    expect(await page.getByRole('link', { name: 'Insight' }).count()).toBe(0);
    await picture(page, 'empty-role');
    expect(await violationsEverywhere(page)).toEqual([]);
  });

  it('shows changes after a refresh', async () => {
    const world = createPageWorld();
    const server = await startPageServer(world);
    const { page, faults } = await openTab(browser(), `${server.url}#/open?uri=skill://git/SKILL.md`);
    await page.getByText('Instructions of git.').waitFor();
    world.skill('project/.agents/skills/git', { body: 'Other words.' });
    world.skill('project/.agents/skills/newcomer');
    await server.rescan();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Other words.').waitFor();
    await page.getByRole('link', { name: /^newcomer/ }).waitFor();
    expect(faults).toEqual([]);
  });
});
