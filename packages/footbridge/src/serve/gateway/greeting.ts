/** How we greet for the servers behind us: as the only one of them would, or as ourselves for several. */
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../json.js';
import type { Handshake, Upstream } from '../../sources/forwarding.js';

/** How long the instructions of several servers may be together. */
const LONGEST_INSTRUCTIONS = 8000;

/** Our greeting, amended by what the servers said. */
export function amendGreeting(
  own: Fields,
  upstreams: readonly Upstream[],
  greetings: readonly (Handshake | undefined)[],
  ownContent: boolean,
): Fields {
  const [only] = greetings;
  if (upstreams.length === 1 && only !== undefined) return asTheOnly(own, only, ownContent);
  const capabilities = fieldsOf(own['capabilities']);
  const declared = greetings.map((handshake) => handshake?.capabilities ?? {});
  const some = (name: string) => declared.some((each) => each[name] !== undefined);
  return {
    ...own,
    capabilities: {
      ...capabilities,
      prompts: { listChanged: true },
      ...(some('logging') ? { logging: {} } : {}),
    },
    instructions: [
      own['instructions'],
      ...upstreams.map(({ name }, index) => instructionsOf(name, greetings[index], Math.floor(LONGEST_INSTRUCTIONS / upstreams.length))),
    ]
      .filter((text) => text !== undefined)
      .join('\n\n'),
  };
}

function instructionsOf(name: string, handshake: Handshake | undefined, longest: number): string | undefined {
  return handshake?.instructions === undefined ? undefined : `Of the server '${name}':\n${handshake.instructions.slice(0, longest)}`;
}

/** All that the server said, and what is ours besides. */
function asTheOnly(own: Fields, { capabilities, instructions, result, serverInfo }: Handshake, ownContent: boolean): Fields {
  const { instructions: _, ...ours } = own;
  const mine = fieldsOf(own['capabilities']);
  const { tasks: _tasks, ...given } = capabilities;
  const theirs = own['resultType'] === undefined ? capabilities : given;
  const extensions = { ...fieldsOf(theirs['extensions']), ...(ownContent ? fieldsOf(mine['extensions']) : {}) };
  const announced = (name: string) => ({ ...fieldsOf(theirs[name]), listChanged: true });
  return {
    ...withoutOurs(result),
    ...ours,
    ...(own['serverInfo'] === undefined ? {} : { serverInfo }),
    ...(own['_meta'] === undefined ? {} : { _meta: { ...fieldsOf(result['_meta']), [SERVER_INFO_META_KEY]: serverInfo } }),
    capabilities: {
      ...theirs,
      tools: announced('tools'),
      ...(theirs['resources'] === undefined && !ownContent
        ? {}
        : { resources: ownContent ? { ...announced('resources'), subscribe: true } : theirs['resources'] }),
      ...(ownContent ? { completions: {} } : {}),
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** What a server of another era said of versions and keeping is not for this host. */
function withoutOurs(result: Fields): Fields {
  const { protocolVersion: _version, supportedVersions: _versions, resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return rest;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
