/** Common actions on the page. */
import type { Page } from 'playwright-core';
import { JIRA } from './scripted.js';

export const SECRET = 'pat-that-nobody-may-see';

export function button(page: Page, name: string | RegExp) {
  return page.getByRole('button', { name });
}

/** Enters a token in the page itself. */
export async function connectJira(page: Page, address = JIRA, secret = SECRET): Promise<void> {
  await page.getByLabel('URL of your Jira').fill(address);
  await page.getByLabel('Personal access token', { exact: true }).fill(secret);
  await button(page, 'Connect').click();
  await page.getByText('Connected', { exact: true }).waitFor();
}
