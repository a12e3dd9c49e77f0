/** Cline's command line. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inBoth, REQUEST } from '../host.js';

export const cline: Host = {
  id: 'cline',
  title: 'Cline',
  package: 'cline',
  version: '3.0.65',
  bin: 'cline',
  folders: inBoth('.agents/skills'),
  launch({ home, model, servers }) {
    const folder = join(home, '.cline', 'data', 'settings');
    const settings = { provider: 'openai-compatible', apiKey: 'loopback', model: 'scripted', baseUrl: `${model}/v1` };
    const providers = {
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: { 'openai-compatible': { settings, updatedAt: '2026-11-01T00:00:00.000Z', tokenSource: 'manual' } },
    };
    const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { type: 'stdio', ...server }]));
    return {
      files: [
        { path: join(folder, 'providers.json'), content: providers },
        { path: join(folder, 'global-settings.json'), content: { telemetryOptOut: true, autoUpdateEnabled: false } },
        { path: join(folder, 'cline_mcp_settings.json'), content: { mcpServers } },
      ],
      args: ['--provider', 'openai-compatible', '--model', 'scripted', '--auto-approve', 'true', REQUEST],
      // Without a daemon, which would outlive the session.
      env: { CLINE_SESSION_BACKEND_MODE: 'local' },
    };
  },
};
