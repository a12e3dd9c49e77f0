/** The page in a real browser against the program, real sos and a Jira: as a plain page and in an MCP Apps host. */
import { createHash } from 'node:crypto';
import type { FrameLocator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openTab, picture, useBrowser } from '../../footbridge/tests/support/browser.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { describeWith } from '../../footbridge/tests/support/requirements.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { bearer } from '../../footbridge/tests/support/tokens.js';
import { hostPage, startHost } from './support/apps-host.js';
import type { JiraServer } from './support/jira-server.js';
import { connectJira, SECRET } from './support/page-actions.js';
import { FAST, startStdio, startTeam } from './support/program.js';
import { createScripted, type Fields, type Scripted } from './support/scripted.js';
import { newJira } from './support/use-jira.js';

useSources();

/** From the consent to the fetched archive; returns the SHA-256 that the page shows. */
async function collect(page: Page | FrameLocator): Promise<string> {
  await page.getByText('Collect less').click();
  await page.getByLabel('Only these plugins').fill(FAST.only_plugins.join(' '));
  await page.getByRole('button', { name: /Yes, collect/ }).click();
  await page.getByRole('progressbar', { name: 'Collecting the sosreport' }).waitFor();
  const goOn = page.getByRole('button', { name: 'Go on to Jira' });
  await goOn.waitFor({ timeout: 60_000 });
  const shown = await page.locator('main').textContent();
  await goOn.click();
  return /(?:SHA-256)?([0-9a-f]{64})(?![0-9a-f])/i.exec(shown ?? '')?.[1] ?? '';
}

async function attach(page: Page | FrameLocator): Promise<void> {
  await page.getByLabel('Issue key').fill('ABC-1');
  await page.getByRole('button', { name: 'Show attachments' }).click();
  await page.getByRole('button', { name: 'Attach it to ABC-1' }).click();
  await page.getByText('is attached to ABC-1').first().waitFor();
}

function sha256Received(jira: JiraServer): string {
  return createHash('sha256')
    .update(jira.attachments.at(-1)?.bytes ?? '')
    .digest('hex');
}

describeWith('chromium', 'the page of the running program', (chromium) => {
  const browser = useBrowser(chromium);

  it('completes the workflow over HTTP for an authenticated caller', async () => {
    const jira = await newJira({ pat: SECRET });
    const team = await startTeam(createWorld(), ['ada', 'grace']);
    const { page, faults } = await openTab(browser(), `${team.server.origin}/engage`);
    await page.getByRole('button', { name: /^Linux/ }).click();
    await page.getByLabel(/token/i).fill(bearer('ada').authorization.replace('Bearer ', ''));
    await page.getByRole('button', { name: 'Sign in' }).click();
    const shown = await collect(page);
    expect(shown).not.toBe('');
    await connectJira(page, jira.baseUrl, SECRET);
    await picture(page, 'engage-real-connected');
    await attach(page);
    await picture(page, 'engage-real-attached');
    expect(sha256Received(jira)).toBe(shown);
    const { connections } = (await team.host('ada').call('jira_connection_status')).structuredContent;
    expect(connections).toMatchObject([{ status: 'active' }]);
    expect((await team.host('grace').call('jira_connection_status')).structuredContent.connections).toEqual([]);
    // The browser reports the 401 before sign-in.
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([]);
  }, 120_000);

  it('completes the workflow in an MCP Apps host over stdio, with the token on its own page', async () => {
    const jira = await newJira({ pat: SECRET });
    const engaged = await startStdio(createWorld(), { version: '2025-11-25' });
    const read = await engaged.request('resources/read', { uri: 'ui://engage-red-hat-support/app.html' });
    expect(read.result.contents[0].mimeType).toBe('text/html;profile=mcp-app');
    const real: Scripted = {
      ...createScripted(),
      async call(tool, input, tell) {
        // The page requests progress for long calls only.
        return (await engaged.callWithProgress(tool, input, tool === 'generate_sosreport' ? tell : () => {})).result;
      },
    };
    const { app, faults, links, messages } = await startHost(browser(), await hostPage(), real, { html: read.result.contents[0].text });
    await app.getByRole('button', { name: /^Linux/ }).click();
    const shown = await collect(app);
    await app.getByLabel(/^URL of your Jira/).fill(jira.baseUrl);
    await app.getByRole('button', { name: 'Open the page for the token' }).click();
    await expect.poll(() => links.length).toBe(1);
    const tab = await openTab(browser(), links[0] ?? '');
    await picture(tab.page, 'engage-real-intake');
    await tab.page.getByLabel('Personal access token', { exact: true }).fill('not-the-token');
    await tab.page.getByRole('button', { name: 'Connect' }).click();
    await tab.page.getByRole('alert').waitFor();
    await tab.page.getByLabel('Personal access token', { exact: true }).fill(SECRET);
    await tab.page.getByRole('button', { name: 'Connect' }).click();
    await tab.page.getByRole('heading', { name: 'Jira is connected' }).waitFor();
    await attach(app);
    expect(sha256Received(jira)).toBe(shown);
    expect(await messages()).not.toContain(SECRET);
    expect(engaged.client.lines.join('\n')).not.toContain(SECRET);
    // The browser reports the rejected token.
    expect([...faults, ...tab.faults.filter((fault) => !fault.includes('422'))]).toEqual([]);
    const gone: Fields | undefined = await fetch(links[0] ?? '').then(
      ({ status }) => ({ status }),
      () => undefined,
    );
    expect(gone === undefined || gone['status'] === 410).toBe(true);
  }, 120_000);
});
