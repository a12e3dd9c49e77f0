/** A real browser that tells on the page: whatever goes wrong in it, or leaves for elsewhere, is kept. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** Chromium asks for much by itself; nothing of that is of the page. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** One browser for all tests of a file; the way to it. */
export function useBrowser(executablePath: string): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launch(executablePath);
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('the browser is not started yet');
    return browser;
  };
}

function launch(executablePath: string): Promise<Browser> {
  // As root there is no sandbox.
  return chromium.launch({ executablePath, args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });
}

/** A tab, and all that a good page never does. */
export interface Tab {
  readonly page: Page;
  /** Console errors, exceptions, dialogs, new windows and requests to anywhere else. */
  readonly faults: string[];
}

/** A tab in a context of its own, closed when the test is over. */
export async function openTab(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('page', (other) => faults.push(`window: ${other.url()}`));
  const { origin } = new URL(url);
  context.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:')) faults.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, faults };
}

/** Keeps a picture of the page where FOOTBRIDGE_SCREENSHOTS says; does nothing without it. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['FOOTBRIDGE_SCREENSHOTS'];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
