/** Gemini CLI. It speaks the Gemini API. */
import { join } from 'node:path';
import { type Host, inBoth, REQUEST } from '../host.js';

export const geminiCli: Host = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  bin: 'gemini',
  folders: inBoth('.agents/skills', '.gemini/skills'),
  launch({ home, model, servers }) {
    const settings = {
      mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, trust: true }])),
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    return {
      files: [{ path: join(home, '.gemini', 'settings.json'), content: settings }],
      args: ['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--skip-trust', '-p', REQUEST],
      env: { GEMINI_API_KEY: 'loopback', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_NO_RELAUNCH: '1' },
    };
  },
};
