/** GitHub Copilot CLI. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inHome, inProject, REQUEST } from '../host.js';

export const copilotCli: Host = {
  id: 'copilot-cli',
  title: 'Copilot CLI',
  package: '@github/copilot',
  version: '1.0.102',
  bin: 'copilot',
  folders: [...inProject('.agents/skills', '.claude/skills', '.github/skills'), ...inHome('.agents/skills', '.copilot/skills')],
  launch({ home, model, servers }) {
    const config = join(home, 'mcp-config.json');
    const content = {
      mcpServers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { type: 'local', ...server, tools: ['*'] }])),
    };
    return {
      files: [{ path: config, content }],
      args: ['-p', REQUEST, '--allow-all-tools', '--disable-builtin-mcps', '--additional-mcp-config', `@${config}`],
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_API_KEY: 'loopback',
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_MODEL: 'gpt-4.1',
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_HOME: join(home, '.copilot'),
      },
    };
  },
};
