/** Kimi Code. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inBoth, REQUEST } from '../host.js';

export const kimiCode: Host = {
  id: 'kimi-code',
  title: 'Kimi Code',
  package: '@moonshot-ai/kimi-code',
  version: '2.1.0',
  bin: 'kimi',
  node: 22,
  folders: inBoth('.agents/skills'),
  launch({ home, model, servers }) {
    const folder = join(home, '.kimi-code');
    return {
      files: [
        { path: join(folder, 'config.toml'), content: 'telemetry = false\n' },
        { path: join(folder, 'mcp.json'), content: { mcpServers: servers } },
      ],
      args: ['-p', REQUEST],
      env: {
        KIMI_CODE_HOME: folder,
        KIMI_CODE_NO_AUTO_UPDATE: '1',
        KIMI_MODEL_NAME: 'scripted',
        KIMI_MODEL_API_KEY: 'loopback',
        KIMI_MODEL_PROVIDER_TYPE: 'openai',
        KIMI_MODEL_BASE_URL: `${model}/v1`,
        KIMI_MODEL_MAX_CONTEXT_SIZE: '400000',
      },
    };
  },
};
