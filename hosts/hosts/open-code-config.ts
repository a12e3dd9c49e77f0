/** The configuration that opencode and Kilo share. */
import type { Surroundings } from '../host.js';

export function openCodeConfig({ model, servers }: Surroundings): object {
  return {
    autoupdate: false,
    share: 'disabled',
    provider: {
      loopback: {
        npm: '@ai-sdk/openai-compatible',
        name: 'loopback',
        options: { baseURL: `${model}/v1`, apiKey: 'loopback' },
        models: { scripted: { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8000 } } },
      },
    },
    mcp: Object.fromEntries(
      Object.entries(servers).map(([name, { command, args }]) => [name, { type: 'local', command: [command, ...args], enabled: true }]),
    ),
  };
}
