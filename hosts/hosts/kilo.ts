/** Kilo. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inBoth, REQUEST } from '../host.js';
import { openCodeConfig } from './open-code-config.js';

export const kilo: Host = {
  id: 'kilo',
  title: 'Kilo',
  package: '@kilocode/cli',
  version: '7.7.7',
  bin: 'kilo',
  folders: inBoth('.agents/skills', '.claude/skills'),
  launch(surroundings) {
    return {
      files: [{ path: join(surroundings.project, 'kilo.json'), content: openCodeConfig(surroundings) }],
      args: ['run', '--model', 'loopback/scripted', '--auto', REQUEST],
      env: {
        KILO_DISABLE_AUTOUPDATE: '1',
        KILO_DISABLE_MODELS_FETCH: '1',
        KILO_DISABLE_LSP_DOWNLOAD: '1',
        KILO_DISABLE_DEFAULT_PLUGINS: '1',
        KILO_DISABLE_SESSION_INGEST: '1',
        KILO_DISABLE_CODEBASE_INDEXING: '1',
        KILO_DISABLE_SHARE: '1',
        KILO_DISABLE_PRESENCE: '1',
        KILO_TELEMETRY_LEVEL: 'off',
        KILO_NO_DAEMON: '1',
      },
    };
  },
};
