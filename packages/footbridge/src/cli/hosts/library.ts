/** The library that knows the hosts, with those that it does not know added. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig } from 'add-mcp';

/** What the library knows of a host. */
export type Agent = AgentConfig;

export interface HostLibrary {
  readonly agents: Readonly<Record<string, Agent>>;
  readonly upsertServer: typeof import('add-mcp')['upsertServer'];
}

let library: Promise<HostLibrary> | undefined;

/** Loaded when first asked for: it looks for the person's folders as it loads, and few commands need it. */
export function hostLibrary(): Promise<HostLibrary> {
  library ??= import('add-mcp').then(({ agents, upsertServer }) => {
    const all: Record<string, Agent> = agents;
    all['qwen-code'] ??= qwenCode(agents['gemini-cli']);
    return { agents: all, upsertServer };
  });
  return library;
}

/** Began as a copy of Gemini CLI, and its configuration still is one. */
function qwenCode(gemini: Agent): Agent {
  const folder = join(homedir(), '.qwen');
  return {
    ...gemini,
    name: 'qwen-code',
    displayName: 'Qwen Code',
    configPath: join(folder, 'settings.json'),
    localConfigPath: '.qwen/settings.json',
    projectDetectPaths: ['.qwen'],
    detectGlobalInstall: async () => existsSync(folder),
  };
}
