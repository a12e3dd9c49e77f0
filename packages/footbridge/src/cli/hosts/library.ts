/** The library `add-mcp`, with additional hosts. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfig, McpServerConfig } from 'add-mcp';

export type Agent = AgentConfig;
/** A server as the library takes it for every host. */
export type LibraryServer = McpServerConfig;

interface HostLibrary {
  readonly agents: Readonly<Record<string, Agent>>;
  readonly upsertServer: typeof import('add-mcp')['upsertServer'];
}

let library: Promise<HostLibrary> | undefined;

/** Loaded on demand: loading it reads the file system, and few commands need it. */
export function hostLibrary(): Promise<HostLibrary> {
  library ??= import('add-mcp').then(({ agents, upsertServer }) => {
    const all: Record<string, Agent> = agents;
    all['gemini-cli'] = withHttpUrl(agents['gemini-cli']);
    all['qwen-code'] ??= qwenCode(all['gemini-cli']);
    return { agents: all, upsertServer };
  });
  return library;
}

/** `url` of Gemini CLI and its forks is the SSE transport of 2024, in some versions whatever `type` says. */
function withHttpUrl(gemini: Agent): Agent {
  return {
    ...gemini,
    transformConfig: (name, config, context) => {
      const entry = gemini.transformConfig(name, config, context);
      if (typeof entry !== 'object' || entry === null || !('url' in entry)) return entry;
      const { type, url, ...others } = { type: undefined, ...entry };
      if (type === 'sse') return entry;
      return { httpUrl: url, ...others };
    },
  };
}

/** A fork of Gemini CLI with the same format. */
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
