/** opencode. It speaks OpenAI's Chat Completions API. */
import { join } from 'node:path';
import { type Host, inBoth, inHome, REQUEST } from '../host.js';
import { openCodeConfig } from './open-code-config.js';

export const opencode: Host = {
  id: 'opencode',
  title: 'opencode',
  package: 'opencode-ai',
  version: '1.18.33',
  bin: 'opencode',
  folders: [...inBoth('.agents/skills', '.claude/skills', '.opencode/skills', '.opencode/skill'), ...inHome('.config/opencode/skills')],
  launch(surroundings) {
    return {
      files: [{ path: join(surroundings.project, 'opencode.json'), content: openCodeConfig(surroundings) }],
      args: ['run', '--model', 'loopback/scripted', '--auto', REQUEST],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
    };
  },
};
