/** The workflow page in an MCP Apps host, in a real browser, with the host side of the MCP Apps library. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openTab, picture, useBrowser } from '../../footbridge/tests/support/browser.js';
import { describeWith } from '../../footbridge/tests/support/requirements.js';
import { hostPage, startHost } from './support/apps-host.js';
import { SECRET } from './support/page-actions.js';
import { ARCHIVE, answer, connection, connectionsOf, createScripted, failure, JIRA, SESSION } from './support/scripted.js';
import { PAGES, startScriptedServer } from './support/scripted-server.js';

describeWith('chromium', 'the workflow page in an MCP Apps host', (chromium) => {
  const browser = useBrowser(chromium);
  let html = '';
  beforeAll(async () => {
    html = await hostPage();
  });

  it('completes all steps, with the token on its own page', async () => {
    const script = createScripted();
    let connected = false;
    const intake = await startScriptedServer(script, {
      intake: () => {
        connected = true;
        return { status: 201, body: connection('active') };
      },
    });
    script.tools['jira_connect'] = () =>
      answer({ connection_id: 'connection-1', status: 'pending', connect_url: `${intake.url}/engage/connect/t1`, expires_at: '' });
    script.tools['jira_connection_status'] = ({ connection_id }) =>
      connection_id === undefined ? connectionsOf() : answer(connection(connected ? 'active' : 'pending'));
    const { page, app, faults, links, messages } = await startHost(browser(), html, script, { context: { theme: 'dark' } });
    const button = (name: string | RegExp) => app.getByRole('button', { name });

    await button(/^Linux/).waitFor();
    expect(script.calls).toEqual([]);
    await button(/^Linux/).click();
    const goOn = script.hold();
    await button(/Yes, collect an sosreport from the server’s machine/).click();
    await app.getByText('Plugin 2 of 3').waitFor();
    goOn();
    await button('Go on to Jira').waitFor();
    expect(script.names()).toEqual(['select_engage_product', 'mint_engage_consent_token', 'generate_sosreport', 'fetch_sosreport']);
    expect(script.calls[1]?.input).toEqual({ permission_granted: true, workflow_session_id: SESSION });
    await button('Go on to Jira').click();

    await app.getByLabel(/^URL of your Jira/).fill(JIRA);
    await picture(page, 'engage-host-connect');
    expect(await app.locator('input[type=password]').count()).toBe(0);
    await button('Open the page for the token').click();
    await app.getByText('Waiting for you to enter the token').waitFor();
    await picture(page, 'engage-host-waiting');
    await expect.poll(() => links).toEqual([`${intake.url}/engage/connect/t1`]);
    await app.getByRole('link', { name: `${intake.url}/engage/connect/t1` }).click();
    await expect.poll(() => links.length).toBe(2);

    const tab = await openTab(browser(), links[0] ?? '');
    await tab.page.getByLabel('URL of your Jira').fill(JIRA);
    await tab.page.getByLabel('Personal access token', { exact: true }).fill(SECRET);
    await tab.page.getByRole('button', { name: 'Connect' }).click();
    await tab.page.getByRole('heading', { name: 'Jira is connected' }).waitFor();

    await app.getByLabel('Issue key').fill('ABC-123');
    await button('Show attachments').click();
    await button('Attach it to ABC-123').click();
    await app.getByText(`${ARCHIVE} (12 MB) is attached to ABC-123`).waitFor();
    await button('Disconnect').click();
    await app.getByText('You are done.').waitFor();
    await expect.poll(() => page.evaluate('reported')).toContain(`${ARCHIVE} is attached to ABC-123.`);
    expect(await messages()).toContain('jira_attach_artifact');
    expect(await messages()).not.toContain(SECRET);
    expect(JSON.stringify(script.calls)).not.toContain(SECRET);
    expect([...faults, ...tab.faults]).toEqual([]);
  });

  it('adopts the theme of the host and reports its size, also after changes', async () => {
    const variables = {
      '--color-background-primary': 'rgb(1, 2, 3)',
      '--color-background-secondary': 'rgb(4, 5, 6)',
      '--color-text-primary': 'rgb(250, 251, 252)',
      '--color-text-secondary': 'rgb(200, 201, 202)',
      '--color-border-primary': 'rgb(50, 51, 52)',
    };
    const context = { theme: 'dark', styles: { variables } };
    const { page, app, faults } = await startHost(browser(), html, createScripted(), {
      context,
      tab: { viewport: { width: 360, height: 740 } },
    });
    await app.getByRole('button', { name: /^Linux/ }).waitFor();
    const ground = () => app.locator('html').evaluate('getComputedStyle(document.documentElement).backgroundColor');
    await expect.poll(ground).toBe('rgb(1, 2, 3)');
    await picture(page, 'engage-host-narrow');
    const height = () => page.evaluate<number>('sizes.at(-1)?.height ?? 0');
    await expect.poll(height).toBeGreaterThan(200);
    const before = await height();
    await app.getByRole('button', { name: /^Linux/ }).click();
    await expect.poll(height).toBeGreaterThan(before + 100);
    await page.evaluate(`bridge.setHostContext(${JSON.stringify({ theme: 'light' })})`);
    await app.locator('html[data-theme=light]').waitFor();
    expect(await app.locator('html').evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')).toBe(false);
    expect(faults).toEqual([]);
  });

  it('continues from the results of tool calls', async () => {
    const script = createScripted();
    const { app, give, faults } = await startHost(browser(), html, script);
    const button = (name: string | RegExp) => app.getByRole('button', { name });
    await give({ workflow_session_id: SESSION, product: 'linux', expires_at: '' });
    await button(/Yes, collect/).waitFor();
    await give({ job_id: 'job-1', status: 'running' });
    await button('Show how far it is').waitFor();
    await give({ job_id: 'job-1', status: 'completed', archive_name: ARCHIVE, size_bytes: 1, fetch_reference: 'fetch-1' });
    await button('Fetch it').waitFor();
    expect(script.calls).toEqual([]);
    await button('Fetch it').click();
    await app.getByText('ab12'.repeat(16)).waitFor();
    expect(script.calls).toEqual([{ tool: 'fetch_sosreport', input: { fetch_reference: 'fetch-1' } }]);
    expect(faults).toEqual([]);
  });

  it('opens at each step', async () => {
    const titles = {
      'select-product': 'Select the product',
      'sos-report': 'Collect an sosreport',
      'jira-attach': 'Attach it to a Jira issue',
    };
    for (const [step, title] of Object.entries(titles)) {
      const { app, faults } = await startHost(browser(), html, createScripted(), { name: `${step}.html` });
      await app.locator('[aria-current=step]').getByRole('heading', { name: title }).waitFor();
      expect(faults).toEqual([]);
    }
  });

  it('offers another page when the one for the token has expired', async () => {
    const script = createScripted();
    script.tools['jira_connection_status'] = ({ connection_id }) =>
      connection_id === undefined ? connectionsOf() : answer(connection('expired'));
    const { app, links } = await startHost(browser(), html, script, { name: 'jira-attach.html' });
    const open = app.getByRole('button', { name: 'Open the page for the token' });
    await open.click();
    await app.getByRole('alert').filter({ hasText: 'The page for the token has expired' }).waitFor();
    await app.getByRole('button', { name: 'Look again' }).click();
    await app.getByText('Waiting for you to enter the token').waitFor();
    await app.getByRole('alert').filter({ hasText: 'The page for the token has expired' }).waitFor();
    await app.getByRole('button', { name: 'Get another page' }).click();
    script.tools['jira_connect'] = () => failure('vault_key_required', 'The server has no key.', 'Tell whoever runs it.');
    await open.click();
    await app.getByRole('alert').filter({ hasText: 'The server has no key. Tell whoever runs it.' }).waitFor();
    expect(links.length).toBe(1);
  });

  it('falls back to window.openai', async () => {
    const script = createScripted();
    const server = await startScriptedServer(script);
    const { page } = await openTab(browser(), `${server.url}/connect.html`);
    const opened: string[] = [];
    await page.exposeFunction('callOpenAi', async (tool: string, input: object) => {
      const { structuredContent, isError } = await script.call(tool, { ...input }, () => {});
      return { structuredContent, isError, content: [] };
    });
    await page.exposeFunction('openOpenAi', (href: string) => void opened.push(href));
    const openai = `{ theme: 'dark', toolOutput: { workflow_session_id: '${SESSION}' },
      callTool: (name, input) => callOpenAi(name, input), openExternal: ({ href }) => openOpenAi(href) }`;
    await page.addInitScript(`window.openai = ${openai}`);
    await page.goto(`${server.url}/app.html`);
    await page.getByRole('button', { name: /Yes, collect/ }).click();
    await page.getByRole('button', { name: 'Go on to Jira' }).click();
    await page.getByRole('button', { name: 'Open the page for the token' }).click();
    await page.getByLabel('Issue key').waitFor();
    await expect.poll(() => opened).toEqual(['https://bridge.example.com/engage/connect/t1']);
    expect(script.names()[0]).toBe('mint_engage_consent_token');
    expect(readFileSync(join(PAGES, 'app.html')).length).toBeLessThan(200_000);
  });
});
