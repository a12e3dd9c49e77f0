/** The kind `mcp`: the skills of a configured MCP server, as they are at the moment. */
import { echo } from '../../errors.js';
import { SKILL_FILE, type Skill } from '../source.js';
import { FetchError } from './fetch-error.js';
import type { SourceKind } from './kind.js';
import { type Staging, stagedDigest } from './staging.js';

const PREFIX = 'mcp:';

export const upstreamKind: SourceKind = {
  name: 'mcp',
  form: 'mcp:server, a server in "mcpServers"',
  parse(specification) {
    if (!specification.startsWith(PREFIX)) return undefined;
    const server = specification.slice(PREFIX.length);
    if (server === '') throw new FetchError('The name of the server is missing.', 'Use mcp:NAME, with a name in "mcpServers".');
    return {
      specification,
      title: server,
      async fetch({ pin, skillsOf, staging }) {
        for (const skill of await skillsOf(server)) await stageSkill(skill, staging);
        const digest = stagedDigest(staging);
        if (pin !== undefined && pin['digest'] !== digest)
          throw new FetchError(
            `The skills of the server '${echo(server)}' differ from footbridge.lock.`,
            'To review and accept the change, run: footbridge update',
          );
        return { pin: { digest }, version: digest.slice(0, 'sha256:'.length + 12) };
      },
    };
  },
};

/** A server that publishes no list of files has only `SKILL.md`. */
async function stageSkill(skill: Skill, staging: Staging): Promise<void> {
  const manifest = await skill.manifest();
  const files = manifest === undefined || manifest.files === 'dynamic' ? [SKILL_FILE] : manifest.files.map(({ path }) => path);
  for (const path of files) {
    staging.count();
    const content = await skill.read(path);
    if (content !== undefined) await staging.put(`${[...skill.group, skill.name].join('/')}/${path}`, content.bytes);
  }
}
