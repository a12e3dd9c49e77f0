/** Codex. It speaks OpenAI's Responses API. */
import { join } from 'node:path';
import { type Host, inBoth, REQUEST } from '../host.js';

export const codex: Host = {
  id: 'codex',
  title: 'Codex',
  package: '@openai/codex',
  version: '0.166.0',
  bin: 'codex',
  folders: inBoth('.agents/skills', '.codex/skills'),
  launch({ home, model, servers }) {
    const folder = join(home, '.codex');
    // A JSON string is a TOML string, and an array of them is one too.
    const toml = (value: unknown) => JSON.stringify(value);
    const config = [
      'model = "scripted"',
      'model_provider = "loopback"',
      'check_for_update_on_startup = false',
      '',
      '[model_providers.loopback]',
      'name = "loopback"',
      `base_url = ${toml(`${model}/v1`)}`,
      'wire_api = "responses"',
      'env_key = "LOOPBACK_KEY"',
      '',
      '[analytics]',
      'enabled = false',
      ...Object.entries(servers).flatMap(([name, { command, args }]) => [
        '',
        `[mcp_servers.${name}]`,
        `command = ${toml(command)}`,
        `args = ${toml(args)}`,
      ]),
      '',
    ].join('\n');
    return {
      files: [{ path: join(folder, 'config.toml'), content: config }],
      args: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', REQUEST],
      env: { CODEX_HOME: folder, LOOPBACK_KEY: 'loopback' },
    };
  },
};
