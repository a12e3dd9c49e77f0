/** The handshake with upstreams: as a single upstream would answer it, or as Footbridge for several. */
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { asText, type Fields, isFields } from '../../json.js';
import type { Handshake, Upstream } from '../../sources/forwarding.js';

/** Characters of the instructions of several upstreams together. */
const MAX_INSTRUCTIONS = 8000;

/** The share of a host's limit for our own instructions, if upstreams have some too. */
const OWN_SHARE = 0.6;

/** What is served besides the upstreams. */
interface OwnParts {
  readonly ownContent: boolean;
  /** Whether our instructions contain anything that no upstream's do. */
  readonly ownInstructions: boolean;
}

/**
 * Our result of `initialize` or `server/discover`, with what the upstreams declared. `ownWithin` gives ours with instructions
 * of at most that length; `limit` is how many characters of instructions the host shows its model.
 */
export function mergeHandshake(
  ownWithin: (longest?: number) => Fields,
  limit: number,
  upstreams: readonly Upstream[],
  handshakes: readonly (Handshake | undefined)[],
  { ownContent, ownInstructions }: OwnParts,
): Fields {
  const [only] = handshakes;
  if (upstreams.length === 1 && only !== undefined) {
    const merged = asTheOnly(ownWithin(), only, ownContent);
    if (!ownInstructions) return merged;
    if (only.instructions === undefined) return { ...merged, instructions: ownWithin()['instructions'] };
    // If a host defers tools, its model learns of our skills from the instructions alone.
    const { instructions } = ownWithin(Math.floor(limit * OWN_SHARE));
    return { ...merged, instructions: `${asText(instructions)}\n\n${only.instructions}` };
  }
  const given = handshakes.filter((handshake) => handshake?.instructions !== undefined).length;
  const own = given === 0 ? ownWithin() : ownWithin(Math.floor(limit * OWN_SHARE));
  const ours = asText(own['instructions'] ?? '');
  const longest = Math.floor(Math.min(MAX_INSTRUCTIONS, Math.max(0, limit - ours.length)) / Math.max(1, given)) - LABEL;
  const capabilities = fieldsOf(own['capabilities']);
  const declared = handshakes.map((handshake) => handshake?.capabilities ?? {});
  const some = (name: string) => declared.some((each) => each[name] !== undefined);
  return {
    ...own,
    capabilities: {
      ...capabilities,
      prompts: { listChanged: true },
      ...(some('logging') ? { logging: {} } : {}),
    },
    instructions: [ours, ...upstreams.map(({ name }, index) => instructionsOf(name, handshakes[index], longest))]
      .filter((text) => text !== undefined)
      .join('\n\n'),
  };
}

/** Room for the line that names the server of the instructions below. */
const LABEL = 80;

function instructionsOf(name: string, handshake: Handshake | undefined, longest: number): string | undefined {
  return handshake?.instructions === undefined || longest <= 0
    ? undefined
    : `Of the server '${name}':\n${handshake.instructions.slice(0, longest)}`;
}

/** Everything that the upstream declared, and what Footbridge adds. */
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
    instructions,
  };
}

/** Versions and caching hints of an upstream of another era do not apply to this host. */
function withoutOurs(result: Fields): Fields {
  const { protocolVersion: _version, supportedVersions: _versions, resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result;
  return rest;
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
