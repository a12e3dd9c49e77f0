/** The workflow page in its own tab, in a real browser. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { openTab, picture, scrollsSideways, tabTo, useBrowser, violationsEverywhere } from '../../footbridge/tests/support/browser.js';
import { describeWith } from '../../footbridge/tests/support/requirements.js';
import { button, connectJira, SECRET } from './support/page-actions.js';
import { ARCHIVE, answer, connection, connectionsOf, createScripted, JIRA, SESSION } from './support/scripted.js';
import { startScriptedServer } from './support/scripted-server.js';

function focused(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.textContent');
}

describeWith('chromium', 'the workflow page', (chromium) => {
  const browser = useBrowser(chromium);

  it('completes the workflow, with a click before each action', async () => {
    const script = createScripted();
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/engage`);
    await button(page, /^Linux/).waitFor();
    await picture(page, 'engage-1-product');
    expect(script.calls).toEqual([]);

    await button(page, /^Linux/).click();
    const consent = button(page, /Yes, collect an sosreport from 127\.0\.0\.1 Nothing leaves the machine/);
    await consent.waitFor();
    await expect.poll(() => focused(page)).toContain('Collect an sosreport');
    await page.getByText('Collect less').click();
    await page.getByLabel('Only these plugins').fill('kernel, networking systemd');
    await page.getByLabel('Maximum size per log').fill('50m');
    await page.getByLabel('Mask host names').check();
    await picture(page, 'engage-2-consent');
    expect(script.names()).toEqual(['select_engage_product']);
    expect(server.posts).toEqual([]);

    const goOn = script.hold();
    await consent.click();
    await page.getByText('Plugin 2 of 3').waitFor();
    await page.getByText('Running plugin networking').first().waitFor();
    const bar = page.getByRole('progressbar', { name: 'Collecting the sosreport' });
    await expect.poll(() => bar.getAttribute('value')).toBe('2');
    await picture(page, 'engage-3-running');
    goOn();
    await page.getByText('ab12'.repeat(16)).waitFor();
    await page.getByText(`/var/lib/footbridge/engage/${ARCHIVE}`).waitFor();
    await picture(page, 'engage-4-fetched');
    expect(server.posts).toEqual([
      { path: '/api/engage/consent-tokens', body: { permission_granted: true, workflow_session_id: SESSION } },
    ]);
    expect(script.calls.find(({ tool }) => tool === 'generate_sosreport')?.input).toEqual({
      consent_token: 'consent-1',
      workflow_session_id: SESSION,
      only_plugins: ['kernel', 'networking', 'systemd'],
      log_size: '50m',
      redaction: true,
    });

    await button(page, 'Go on to Jira').click();
    await page.getByLabel('URL of your Jira').waitFor();
    await expect.poll(() => focused(page)).toContain('Attach it to a Jira issue');
    await picture(page, 'engage-5-connect');
    await connectJira(page);
    expect(await page.getByText(/^Connected as/).textContent()).toMatch(/^Connected as Jane Doe until /);
    await page.getByLabel('Issue key').fill('abc-123');
    await button(page, 'Show attachments').click();
    await page.getByRole('region', { name: 'Attachments of ABC-123' }).getByText('notes.txt').waitFor();
    const leaving = page.getByRole('region', { name: 'Attach the archive' });
    await expect.poll(() => leaving.textContent()).toContain('This is the moment at which data leaves the machine.');
    for (const named of [ARCHIVE, 'ABC-123', JIRA]) expect(await leaving.textContent()).toContain(named);
    await picture(page, 'engage-6-leaving');
    expect(script.names()).not.toContain('jira_attach_artifact');

    await button(page, 'Attach it to ABC-123').click();
    await page.getByText(`${ARCHIVE} (12 MB) is attached to ABC-123 at ${JIRA}.`).waitFor();
    await picture(page, 'engage-7-attached');
    await button(page, 'Disconnect').click();
    await page.getByText('Jira is disconnected. You are done.').waitFor();
    expect(script.calls.at(-1)).toEqual({ tool: 'jira_disconnect', input: { connection_id: 'connection-1' } });
    expect(JSON.stringify([script.calls, server.requests])).not.toContain(SECRET);
    expect(await page.content()).not.toContain(SECRET);
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')).not.toContain(SECRET);
    expect(faults).toEqual([]);
  });

  it('polls a job that takes longer than a call', async () => {
    const script = createScripted();
    script.tools['generate_sosreport'] = () => answer({ job_id: 'job-9', status: 'running' });
    let looks = 0;
    let shown: () => void = () => {};
    const seen = new Promise<void>((resolve) => {
      shown = resolve;
    });
    const completed = script.tools['get_generate_sosreport_status'];
    script.tools['get_generate_sosreport_status'] = async (input, tell) => {
      if (++looks < 2 || completed === undefined)
        return answer({ job_id: 'job-9', status: 'running', progress: { done: 41, total: 87, message: 'Running plugin logs' } });
      await seen;
      return completed(input, tell);
    };
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/engage`);
    await button(page, /^Linux/).click();
    await button(page, /Yes, collect/).click();
    await page.getByText('Plugin 41 of 87').waitFor();
    shown();
    await button(page, 'Go on to Jira').waitFor();
    expect(script.calls.filter(({ tool }) => tool === 'get_generate_sosreport_status')).toEqual(
      Array(2).fill({ tool: 'get_generate_sosreport_status', input: { job_id: 'job-9' } }),
    );
    expect(faults).toEqual([]);
  });

  it('keeps its state after a reload', async () => {
    const script = createScripted();
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/engage`);
    await button(page, /^Linux/).click();
    await button(page, /Yes, collect/).click();
    await button(page, 'Go on to Jira').click();
    await connectJira(page);
    await page.reload();
    await page.getByText('ab12'.repeat(16)).waitFor();
    await button(page, 'Go on to Jira').click();
    await page.getByLabel('Issue key').waitFor();
    expect(script.names().filter((name) => name === 'generate_sosreport').length).toBe(1);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(SECRET);
    expect(faults).toEqual([]);
  });

  it('opens at each step without calling tools on its own', async () => {
    const script = createScripted();
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/select-product.html`);
    const current = page.locator('[aria-current=step]');
    await current.getByRole('heading', { name: 'Select the product' }).waitFor();
    await page.goto(`${server.url}/sos-report.html`);
    await current.getByRole('heading', { name: 'Collect an sosreport' }).waitFor();
    expect(script.calls).toEqual([]);
    await button(page, /Yes, collect/).click();
    await button(page, 'Go on to Jira').waitFor();
    expect(script.names()).toEqual(['select_engage_product', 'generate_sosreport', 'fetch_sosreport']);
    script.calls.length = 0;
    await page.evaluate('sessionStorage.clear()');
    script.tools['jira_connection_status'] = () => connectionsOf(connection('active'), connection('expired', 'connection-0'));
    await page.goto(`${server.url}/jira-attach.html`);
    await current.getByRole('heading', { name: 'Attach it to a Jira issue' }).waitFor();
    const listed = page.getByRole('region', { name: 'Your connections' }).getByRole('listitem');
    await listed.first().waitFor();
    await expect.poll(() => listed.count()).toBe(1);
    await picture(page, 'engage-8-jira-alone');
    await button(page, /^Use it/).click();
    await page.getByLabel('Issue key').fill('ABC-123');
    await button(page, 'Show attachments').click();
    await page.getByText('There is nothing to attach yet').waitFor();
    expect(script.names()).toEqual(['jira_connection_status', 'jira_list_attachments']);
    await button(page, 'Go back to this step').click();
    await button(page, /Yes, collect/).waitFor();
    expect(faults).toEqual([]);
  });

  it('fits a phone, labels every field, and has no accessibility violations at any step, dark or light', async () => {
    const script = createScripted();
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/engage`);
    const found: unknown[] = [];
    const check = async (name: string) => {
      for (const violation of await violationsEverywhere(page)) found.push([name, violation]);
      // That leaves it as narrow as a phone, and dark.
      if (await scrollsSideways(page)) found.push([name, 'scrolls sideways']);
      const nameless = 'input:not(:is(label *)):not([aria-label])';
      const unlabelled = await page.evaluate(
        `[...document.querySelectorAll('${nameless}')].filter((field) => !field.labels.length).length`,
      );
      if (unlabelled !== 0) found.push([name, unlabelled]);
      await picture(page, `engage-phone-dark-${name}`);
      await page.emulateMedia({ colorScheme: 'light' });
      await picture(page, `engage-phone-light-${name}`);
    };
    await button(page, /^Linux/).waitFor();
    await check('product');
    await button(page, /^Linux/).click();
    await page.getByText('Collect less').click();
    await check('consent');
    const goOn = script.hold();
    await button(page, /Yes, collect/).click();
    await page.getByText('Plugin 2 of 3').waitFor();
    await check('running');
    goOn();
    await button(page, 'Go on to Jira').waitFor();
    await check('fetched');
    await button(page, 'Go on to Jira').click();
    await page.getByLabel('URL of your Jira').waitFor();
    await check('connect');
    await connectJira(page);
    await page.getByLabel('Issue key').fill('ABC-123');
    await button(page, 'Show attachments').click();
    await button(page, 'Attach it to ABC-123').waitFor();
    await check('leaving');
    await button(page, 'Attach it to ABC-123').click();
    await page.getByText('is attached to ABC-123').waitFor();
    await check('attached');
    await page.goto(`${server.url}/jira-attach.html`);
    await page.getByRole('heading', { name: 'Attach it to a Jira issue' }).waitFor();
    await check('jira-alone');
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(3);
    expect(found).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('needs no mouse', async () => {
    const script = createScripted();
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/engage`);
    await button(page, /^Linux/).waitFor();
    const press = async (text: RegExp) => {
      await tabTo(page, text);
      // Where the focus is can be seen.
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).not.toBe('none');
      await page.keyboard.press('Enter');
    };
    await press(/^Linux/);
    await button(page, /Yes, collect/).waitFor();
    await press(/^Collect less/);
    await page.getByLabel('Only these plugins').waitFor();
    await press(/^Yes, collect/);
    await button(page, 'Go on to Jira').waitFor();
    await press(/^Go on to Jira/);
    const jira = page.getByLabel('URL of your Jira');
    await jira.waitFor();
    for (let steps = 0; !(await jira.evaluate((field) => field === field.ownerDocument.activeElement)) && steps < 50; steps++)
      await page.keyboard.press('Tab');
    await page.keyboard.type(JIRA);
    const token = page.getByLabel('Personal access token', { exact: true });
    for (let steps = 0; !(await token.evaluate((field) => field === field.ownerDocument.activeElement)) && steps < 50; steps++)
      await page.keyboard.press('Tab');
    await page.keyboard.type(SECRET);
    await page.keyboard.press('Enter');
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(script.names()).toContain('generate_sosreport');
    expect(faults).toEqual([]);
  });
});
