/** Claude Code. It speaks Anthropic's Messages API. */
import { join } from 'node:path';
import { type Host, inBoth, LABEL, REQUEST } from '../host.js';

export const claudeCode: Host = {
  id: 'claude-code',
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.197',
  bin: 'claude',
  folders: inBoth('.claude/skills'),
  settings: [
    { title: 'tool search on', env: { ENABLE_TOOL_SEARCH: 'true' } },
    { title: 'tool search on, beside 40 other tools', env: { ENABLE_TOOL_SEARCH: 'true' }, hasOtherServer: true },
  ],
  launch({ home, model, servers }) {
    const config = join(home, 'mcp.json');
    return {
      files: [{ path: config, content: { mcpServers: servers } }],
      args: [
        '-p',
        REQUEST,
        '--model',
        'claude-sonnet-4-5',
        '--mcp-config',
        config,
        '--strict-mcp-config',
        '--allowedTools',
        `mcp__${LABEL}`,
      ],
      env: {
        ANTHROPIC_BASE_URL: model,
        ANTHROPIC_API_KEY: 'sk-ant-loopback',
        // A session with a person: the servers are connected when the first request is sent.
        MCP_CONNECTION_NONBLOCKING: '0',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    };
  },
};
