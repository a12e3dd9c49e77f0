/** An MCP Apps host in a browser with one of our pages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { openTab } from '../../../footbridge/tests/support/browser.js';
import type { Fields, Scripted } from './scripted.js';
import { PAGES, startScriptedServer } from './scripted-server.js';

export interface Host {
  readonly page: Page;
  readonly app: FrameLocator;
  readonly faults: string[];
  /** URLs that the app asked to open. */
  readonly links: string[];
  /** Every message between app and host, as JSON. */
  messages(): Promise<string>;
  /** Sends the app a tool result of the assistant. */
  give(structuredContent: Fields): Promise<void>;
}

/** The default policy of hosts: no external resources or connections. */
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; frame-src 'self'";

/** The host's page, with the host side of the library. */
export async function hostPage(): Promise<string> {
  const build = await rolldown({ input: join(import.meta.dirname, '..', 'fixtures', 'apps-host.mjs'), platform: 'browser' });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  const script = output[0].code.replaceAll('</script', '<\\/script');
  const style = 'body { margin: 0 } iframe { display: block; width: 100%; border: 0 }';
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="content-security-policy" content="${POLICY}"><style>${style}</style><body><script>${script}</script></body>`;
}

export async function startHost(
  browser: Browser,
  html: string,
  script: Scripted,
  {
    name = 'app.html',
    html: shown = readFileSync(join(PAGES, name), 'utf8'),
    context = {},
    tab = {},
  }: { name?: string; html?: string; context?: Fields; tab?: BrowserContextOptions } = {},
): Promise<Host> {
  const server = await startScriptedServer(script, { files: { '/host': html } });
  const { page, faults } = await openTab(browser, `${server.url}/host`, tab);
  const links: string[] = [];
  await page.exposeFunction('openLink', (url: string) => void links.push(url));
  await page.exposeFunction('callTool', (call: number, tool: string, input: Fields) =>
    script.call(tool, input, (progress) => void page.evaluate(`tellProgress(${call}, ${JSON.stringify(progress)})`)),
  );
  await page.evaluate(`startHost(${JSON.stringify(shown)}, ${JSON.stringify(context)})`);
  return {
    page,
    app: page.frameLocator('iframe'),
    faults,
    links,
    messages: () => page.evaluate<string>('JSON.stringify(messages)'),
    give: (structuredContent) => page.evaluate(`bridge.sendToolResult(${JSON.stringify({ content: [], structuredContent })})`),
  };
}
