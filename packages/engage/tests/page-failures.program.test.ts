/** Failures in the workflow page, in a real browser. */
import { expect, it } from 'vitest';
import { openTab, picture, useBrowser } from '../../footbridge/tests/support/browser.js';
import { describeWith } from '../../footbridge/tests/support/requirements.js';
import { button, connectJira, SECRET } from './support/page-actions.js';
import { createScripted, failure, JIRA } from './support/scripted.js';
import { startScriptedServer } from './support/scripted-server.js';

describeWith('chromium', 'the workflow page, after a failure,', (chromium) => {
  const browser = useBrowser(chromium);

  it('shows the error and what to do, and continues from there', async () => {
    const script = createScripted();
    const { generate_sosreport: generate, fetch_sosreport: fetch, jira_list_attachments: list } = script.tools;
    const server = await startScriptedServer(script);
    const { page, faults } = await openTab(browser(), `${server.url}/engage`);
    await button(page, /^Linux/).click();
    const consent = button(page, /Yes, collect/);
    const alert = page.getByRole('alert');

    await page.getByText('Collect less').click();
    await page.getByLabel('Only these plugins').fill('no;such');
    await consent.click();
    await alert.filter({ hasText: '“no;such” cannot be the name of a plugin' }).waitFor();
    expect(server.posts).toEqual([]);
    await page.getByLabel('Only these plugins').fill('');

    script.tools['generate_sosreport'] = () =>
      failure('dependency_missing', 'sos is <b>not</b> installed.', 'Install it: dnf install sos.');
    await consent.click();
    await alert.filter({ hasText: 'sos is <b>not</b> installed. Install it: dnf install sos.' }).waitFor();
    await alert.getByText('dependency_missing').waitFor();
    await picture(page, 'engage-9-failure');

    script.tools['generate_sosreport'] = () => failure('workflow_session_invalid', 'The session is gone.', 'Select the product again.');
    await consent.click();
    await alert.filter({ hasText: 'The session is gone.' }).waitFor();

    if (generate !== undefined) script.tools['generate_sosreport'] = generate;
    script.tools['fetch_sosreport'] = () => failure('copy_failed', 'The bundle could not be copied.', 'Fetch it once more.');
    script.calls.length = 0;
    await consent.click();
    await alert.filter({ hasText: 'could not be copied' }).waitFor();
    expect(script.names()[0]).toBe('select_engage_product');
    if (fetch !== undefined) script.tools['fetch_sosreport'] = fetch;
    await button(page, 'Fetch it again').click();
    await button(page, 'Go on to Jira').click();

    await connectJira(page);
    script.tools['jira_list_attachments'] = () => failure('connection_expired', 'The connection has expired.', 'Connect again.');
    await page.getByLabel('Issue key').fill('ABC-123');
    await button(page, 'Show attachments').click();
    await button(page, 'Connect Jira again').click();
    if (list !== undefined) script.tools['jira_list_attachments'] = list;
    await connectJira(page);
    await page.getByLabel('Issue key').fill('ABC-123');
    await button(page, 'Show attachments').click();
    await button(page, 'Attach it to ABC-123').waitFor();
    expect(faults).toEqual([]);
    await server.close();
    await button(page, 'Attach it to ABC-123').click();
    await alert.filter({ hasText: 'The server does not respond.' }).waitFor();
  });

  it('distinguishes a token rejected by Jira from one required by the server', async () => {
    const script = createScripted();
    const refusal = { code: 'invalid_credentials', message: 'Jira refuses the token.', text: 'Jira refuses the token. Make a new one.' };
    const server = await startScriptedServer(script, { token: 'sesame', intake: () => ({ status: 401, body: refusal }) });
    const { page } = await openTab(browser(), `${server.url}/engage`);
    await button(page, /^Linux/).click();
    const field = page.getByLabel('Access token');
    await field.fill('wrong');
    await button(page, 'Sign in').click();
    await page.getByRole('alert').filter({ hasText: 'Unknown token.' }).waitFor();
    await field.fill('sesame');
    await button(page, 'Sign in').click();
    await button(page, /Yes, collect/).waitFor();
    await page.goto(`${server.url}/jira-attach.html`);
    await page.getByLabel('URL of your Jira').fill(JIRA);
    const secret = page.getByLabel('Personal access token', { exact: true });
    await secret.fill(SECRET);
    await button(page, 'Connect').click();
    await page.getByRole('alert').filter({ hasText: 'Jira refuses the token. Make a new one.' }).waitFor();
    await expect.poll(() => secret.inputValue()).toBe('');
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(SECRET);
  });
});
