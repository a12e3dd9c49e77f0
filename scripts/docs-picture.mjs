// Takes the screenshot of the catalog page in docs/images/page.png. Needs Chromium.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'footbridge-picture-'));
const defined = { command: process.execPath, args: [join(root, 'examples', 'servers', 'defined.mjs')] };
writeFileSync(join(folder, 'footbridge.json'), JSON.stringify({ standardFolders: false, mcpServers: { builds: defined } }));

const program = [join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs'), 'serve', '--http', '127.0.0.1:0'];
const given = ['--skills', join('examples', 'skills'), '--config', join(folder, 'footbridge.json'), '--log-level', 'warn'];
const server = spawn(process.execPath, [...program, ...given], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    // Chromium does not start with a sandbox as root.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    await takePicture(browser, await addressOf(server));
  } finally {
    await browser.close();
  }
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true });
}

async function takePicture(browser, address) {
  await callAsHost(address);
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 } });
  await page.goto(`${address}/#/open?uri=skill://release-notes/SKILL.md`);
  await page.getByRole('heading', { level: 1, name: 'release-notes' }).waitFor({ timeout: 15_000 });
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(root, 'docs', 'images', 'page.png') });
}

/** The upstream server starts with the first request. */
async function callAsHost(address) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const params = { name: 'get_resource', arguments: { uri: 'docs://handbook' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const answer = await (await fetch(`${address}/mcp`, { method: 'POST', headers, body })).text();
  if (!answer.includes('Handbook')) throw new Error(`Unexpected answer of the upstream server: ${answer}`);
}

/** The address that the server prints. */
async function addressOf({ stdout }) {
  let printed = '';
  for await (const chunk of stdout) {
    printed += chunk;
    const [, address] = /(http:\/\/127\.0\.0\.1:\d+)\/mcp/.exec(printed) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('The server did not start.');
}
