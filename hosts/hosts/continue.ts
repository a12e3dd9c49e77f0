/** Continue's command line, `cn`. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inProject, REQUEST } from '../host.js';

export const continueCli: Host = {
  id: 'continue',
  title: 'Continue',
  package: '@continuedev/cli',
  version: '1.5.47',
  bin: 'cn',
  bareNames: true,
  folders: inProject('.claude/skills'),
  launch({ home, model, servers }) {
    const config = join(home, 'continue.yaml');
    // JSON is YAML.
    const content = {
      name: 'loopback',
      version: '1.0.0',
      schema: 'v1',
      models: [
        {
          name: 'scripted',
          provider: 'openai',
          model: 'scripted',
          apiBase: `${model}/v1`,
          apiKey: 'loopback',
          roles: ['chat'],
          capabilities: ['tool_use'],
          defaultCompletionOptions: { contextLength: 400_000, maxTokens: 8000 },
        },
      ],
      mcpServers: Object.entries(servers).map(([name, server]) => ({ name, ...server })),
    };
    return {
      files: [{ path: config, content }],
      args: ['-p', REQUEST, '--config', config, '--auto'],
      env: {
        CONTINUE_GLOBAL_DIR: join(home, '.continue'),
        CONTINUE_METRICS_ENABLED: '0',
        CONTINUE_TELEMETRY_ENABLED: '0',
        CONTINUE_CLI_ENABLE_TELEMETRY: '0',
        CONTINUE_CLI_AUTO_UPDATED: 'true',
      },
    };
  },
};
