/** A real browser that records errors of the page and its requests to other origins. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';

/** Keeps Chromium from sending requests of its own. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns a function that gives the browser that all tests of a file share. */
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
  // Chromium does not start with a sandbox as root.
  return chromium.launch({ executablePath, args: [...QUIET, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])] });
}

/** A tab, and what the page must not do. */
export interface Tab {
  readonly page: Page;
  /** Console errors, exceptions, dialogs, new windows and requests to anywhere else. */
  readonly faults: string[];
}

/** Opens a tab in its own context, which is closed after the test. */
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

/** Saves a screenshot to the folder in FOOTBRIDGE_SCREENSHOTS, if it is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['FOOTBRIDGE_SCREENSHOTS'];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Whether the page is wider than the screen. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/** Presses Tab until an element with this text has the focus. */
export async function tabTo(page: Page, text: RegExp): Promise<void> {
  const focused = () => page.evaluate('document.activeElement.textContent.trim()').then(String);
  for (let steps = 0; !text.test(await focused()) && steps < 50; steps++) await page.keyboard.press('Tab');
  expect(await focused()).toMatch(text);
}

/** Presses Tab until this element has the focus, which has to be visible on it. */
export async function tabInto(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isFocused = async () => {
    const active = await page.evaluateHandle('document.activeElement');
    return (
      (await target.evaluate((element, focused) => element === focused, active)) &&
      (await page.evaluate('document.activeElement.matches(":focus-visible")')) === true
    );
  };
  for (let steps = 0; !(await isFocused()) && steps < 80; steps++) await page.keyboard.press('Tab');
  expect(await isFocused(), String(target)).toBe(true);
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The violations that axe reports, with their elements. */
export async function violations(page: Page): Promise<readonly unknown[]> {
  await page.evaluate(AXE);
  // A colour in transition belongs to neither theme.
  await page.evaluate('for (const each of document.getAnimations()) each.finish()');
  return page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))');
}

/** The violations of the current view on a desktop and a phone, light and dark. */
export async function violationsEverywhere(page: Page): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const [width, height] of [[1200, 800] as const, [360, 740] as const]) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const violation of await violations(page)) found.push([width, colorScheme, violation]);
    }
  }
  return found;
}
