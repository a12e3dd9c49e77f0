/** Qwen Code. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inBoth, REQUEST } from '../host.js';

export const qwenCode: Host = {
  id: 'qwen-code',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  version: '0.15.10',
  bin: 'qwen',
  // Before its tool_search, its model gets the name and 160 characters of the first line of each MCP tool. No hint changes that.
  searchesFirst: true,
  folders: inBoth('.agents/skills', '.qwen/skills'),
  launch({ home, model, servers }) {
    const settings = {
      mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { ...server, trust: true }])),
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    const access = ['--auth-type', 'openai', '--openai-api-key', 'loopback', '--openai-base-url', `${model}/v1`, '-m', 'scripted'];
    return {
      files: [{ path: join(home, '.qwen', 'settings.json'), content: settings }],
      args: [...access, '--approval-mode', 'yolo', '-p', REQUEST],
      env: { QWEN_CODE_NO_RELAUNCH: '1' },
    };
  },
};
