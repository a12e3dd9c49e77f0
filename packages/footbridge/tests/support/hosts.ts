/** The configuration of MCP hosts, as those hosts write it, in the home of a world. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from './folders.js';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures', 'hosts');

/** Where each host has its file on Linux, below the home. */
export const HOST_FILES = {
  'claude-code': '.claude.json',
  'claude-desktop': '.config/Claude/claude_desktop_config.json',
  codex: '.codex/config.toml',
  copilot: '.copilot/mcp-config.json',
  cursor: '.cursor/mcp.json',
  gemini: '.gemini/settings.json',
  goose: '.config/goose/config.yaml',
  opencode: '.config/opencode/opencode.json',
  qwen: '.qwen/settings.json',
  vscode: '.config/Code/User/mcp.json',
  windsurf: '.codeium/windsurf/mcp_config.json',
  zed: '.config/zed/settings.json',
} as const;

export type FixtureHost = keyof typeof HOST_FILES;

export const FIXTURE_HOSTS = Object.keys(HOST_FILES).filter((host): host is FixtureHost => host in HOST_FILES);

/** What a host wrote. */
export function hostText(host: FixtureHost): string {
  return readFileSync(join(FIXTURES, `${host}.txt`), 'utf8');
}

/** Puts the files of hosts into the home. */
export function writeHosts(world: World, hosts: readonly FixtureHost[] = FIXTURE_HOSTS): void {
  for (const host of hosts) world.write(`home/${HOST_FILES[host]}`, hostText(host));
}

export function readHost(world: World, host: FixtureHost): string {
  return readFileSync(join(world.home, HOST_FILES[host]), 'utf8');
}

/** Every file below the home with its content and mode, except our caches and state. */
export function homeFiles(world: World): Readonly<Record<string, string>> {
  const names = readdirSync(world.home, { recursive: true, encoding: 'utf8' }).filter((name) => !/^(?:cache|\.local)(?:\/|$)/.test(name));
  return Object.fromEntries(
    names.map((name) => {
      const stats = statSync(join(world.home, name), { throwIfNoEntry: false });
      if (stats === undefined) return [name, 'a link that leads nowhere'];
      const content = stats.isFile() ? readFileSync(join(world.home, name), 'base64') : 'folder';
      return [name, `${(stats.mode & 0o777).toString(8)} ${content}`];
    }),
  );
}
