/** The one-time page for a Jira token, in a real browser with its real CSP. */
import { expect, it } from 'vitest';
import { openTab, picture, useBrowser, violationsEverywhere } from '../../footbridge/tests/support/browser.js';
import { describeWith } from '../../footbridge/tests/support/requirements.js';
import { SECRET } from './support/page-actions.js';
import { createScripted, type Fields, JIRA } from './support/scripted.js';
import { ACCEPTED, type ApiAnswer, startScriptedServer } from './support/scripted-server.js';

const LINK = '/engage/connect/ticket-1';
const HOST = new URL(JIRA).host;
const EXPIRES = '2026-11-15T11:00:00Z';

function refusal(status: number, code: string, message: string): ApiAnswer {
  return { status, body: { code, message, text: `${message} Do something.` } };
}

describeWith('chromium', 'the one-time page for a Jira token', (chromium) => {
  const browser = useBrowser(chromium);

  async function open(intake: (body: Fields) => ApiAnswer, invitation: Fields | null, dark = false) {
    const server = await startScriptedServer(createScripted(), { intake, invitation });
    const tab = await openTab(browser(), server.url + LINK, dark ? { colorScheme: 'dark', viewport: { width: 360, height: 740 } } : {});
    const secret = tab.page.getByLabel(/^(Personal access|API) token$/);
    return { server, ...tab, secret, send: () => tab.page.getByRole('button', { name: 'Connect' }).click() };
  }

  it('accepts a token for a given Jira, and says that it can be closed', async () => {
    const { server, page, faults, secret } = await open(() => ACCEPTED, { jira_base_url: JIRA, expires_at: EXPIRES, asked_by: 'eve' });
    await page.getByText('Requested by eve. If that is not you, close this page.').waitFor();
    await page.getByText('Your assistant provided this URL: check that it is your Jira.').waitFor();
    await page.getByText(`Your token is verified with ${HOST} and stored encrypted`).waitFor();
    await page.getByRole('button', { name: `Connect to ${HOST}`, exact: true }).waitFor();
    expect(await page.locator('strong', { hasText: HOST }).count()).toBe(2);
    expect(await page.content()).not.toContain('this server alone');
    expect(await page.getByLabel('URL of your Jira').count()).toBe(0);
    expect(await secret.getAttribute('type')).toBe('password');
    expect(await secret.getAttribute('autocomplete')).toBe('off');
    await picture(page, 'connect-1-fixed');
    await secret.fill(SECRET);
    await secret.press('Enter');
    await page.getByRole('heading', { name: 'Jira is connected' }).waitFor();
    await page.getByText('You can close this page and go back to your assistant.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Jira is connected');
    await picture(page, 'connect-2-connected');
    expect(server.posts).toEqual([{ path: LINK, body: { jira_base_url: JIRA, auth_mode: 'bearer_pat', pat: SECRET } }]);
    expect(server.requests.filter((request) => request.startsWith('POST'))).toEqual([`POST ${LINK}`]);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
    expect(await page.content()).not.toContain(SECRET);
    expect(await page.locator('input').count()).toBe(0);
    expect(await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href])')).not.toContain(SECRET);
    expect(faults).toEqual([]);
  });

  it('requests the token again when Jira rejects it, also for Cloud', async () => {
    const intake = ({ api_token }: Fields) =>
      api_token === SECRET ? ACCEPTED : refusal(401, 'invalid_credentials', 'Jira refuses the token.');
    const { server, page, secret, send } = await open(intake, { expires_at: EXPIRES }, true);
    await page.getByText('Requested by an assistant on this machine.').waitFor();
    await page.getByText('Your token is verified with your Jira').waitFor();
    await page.getByLabel('URL of your Jira').fill(JIRA);
    await page.getByText(`Your token is verified with ${HOST}`).waitFor();
    expect(await page.getByText('Your assistant provided this URL').count()).toBe(0);
    await secret.fill('of another kind');
    await page.getByLabel(/^Cloud/).check();
    await expect.poll(() => secret.inputValue()).toBe('');
    await page.getByLabel('E-mail of your account').fill('me@example.com');
    await secret.fill('wrong');
    await send();
    await page.getByRole('alert').filter({ hasText: 'Jira refuses the token. Do something.' }).waitFor();
    await expect.poll(() => secret.inputValue()).toBe('');
    await picture(page, 'connect-3-refused');
    await secret.fill(SECRET);
    await send();
    await page.getByRole('heading', { name: 'Jira is connected' }).waitFor();
    expect(server.posts.at(-1)?.body).toEqual({
      jira_base_url: JIRA,
      auth_mode: 'basic_cloud',
      account_email: 'me@example.com',
      api_token: SECRET,
    });
  });

  it('shows long names as text and long URLs completely', async () => {
    const asked_by = `<img src=x onerror=alert(1)> ${'eve'.repeat(25)}`;
    const host = `jira.example.com.${'login.'.repeat(20)}xn--e1afmkfd.example`;
    const jira_base_url = `https://${host}:8443/jira/`;
    const { page, faults } = await open(() => ACCEPTED, { jira_base_url, expires_at: EXPIRES, asked_by }, true);
    await page.getByText(`Requested by ${asked_by}.`).waitFor();
    await page.getByText(jira_base_url, { exact: true }).waitFor();
    await page.getByRole('button', { name: `Connect to ${host}:8443` }).waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await picture(page, 'connect-4-long');
    expect(faults).toEqual([]);
  });

  it('keeps the token in its field when Jira is unreachable', async () => {
    const { page, secret, send } = await open(() => refusal(502, 'upstream_unavailable', 'Jira does not answer.'), { jira_base_url: JIRA });
    await secret.fill(SECRET);
    await send();
    await page.getByRole('alert').filter({ hasText: 'Jira does not answer.' }).waitFor();
    expect(await secret.inputValue()).toBe(SECRET);
  });

  it('shows a used or invented link as expired at once, without a form, and claims nothing about a connection', async () => {
    const { server, page, faults } = await open(() => ACCEPTED, null);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await page.locator('input, button, form').count()).toBe(0);
    expect(await page.locator('main').textContent()).not.toMatch(/connected|Requested by/i);
    expect(server.posts).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('reports an expired link and clears the token', async () => {
    const { page, secret, send } = await open(() => refusal(410, 'link_over', 'The link is over.'), { jira_base_url: JIRA });
    await secret.fill(SECRET);
    await send();
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await page.locator('input').count()).toBe(0);
    expect(await page.content()).not.toContain(SECRET);
    expect(await page.locator('main').textContent()).not.toMatch(/nothing was connected/i);
  });

  it('has no accessibility violations, dark or light, on a phone or a desktop', async () => {
    const refused = () => refusal(401, 'invalid_credentials', 'Jira refuses the token.');
    const { page, secret, send } = await open(refused, { expires_at: EXPIRES });
    const found: unknown[] = [];
    const check = async (name: string, tab = page) => {
      for (const violation of await violationsEverywhere(tab)) found.push([name, violation]);
    };
    await page.getByLabel('URL of your Jira').fill(JIRA);
    await check('form');
    await page.getByLabel(/^Cloud/).check();
    await page.getByLabel('E-mail of your account').fill('me@example.com');
    await secret.fill('wrong');
    await send();
    await page.getByRole('alert').waitFor();
    await check('refused');
    const accepted = await open(() => ACCEPTED, { jira_base_url: JIRA, expires_at: EXPIRES });
    await accepted.secret.fill(SECRET);
    await accepted.send();
    await accepted.page.getByRole('heading', { name: 'Jira is connected' }).waitFor();
    await check('connected', accepted.page);
    const expired = await open(() => ACCEPTED, null);
    await expired.page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    await check('expired', expired.page);
    expect(found).toEqual([]);
  });
});
