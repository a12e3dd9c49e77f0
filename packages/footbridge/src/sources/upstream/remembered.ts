/** Lists that another process has stored: checked like the answers of a server. */
import { isFields, weightOf } from '../../json.js';
import { fieldsOf, parseText } from '../../json-turns.js';
import type { Handshake } from '../forwarding.js';
import { LARGEST_HANDSHAKE } from './connect.js';
import { KINDS, storedEntries, type UpstreamListing } from './listing.js';
import { publishedIn } from './skills/stored-skills.js';
import type { Remembered } from './stored-lists.js';

/** Undefined for a text that has no lists. */
export async function rememberedIn(text: string): Promise<Remembered | undefined> {
  const value = fieldsOf(await parseText(text));
  if (value === undefined) return undefined;
  const handshake = handshakeIn(value['handshake']);
  const { era } = value;
  if (handshake === undefined || (era !== 'modern' && era !== 'legacy')) return undefined;
  const lists: Partial<UpstreamListing>[] = [];
  for (const kind of KINDS) lists.push(await storedEntries(kind, value));
  return { ...EMPTY, ...Object.assign({}, ...lists), skills: publishedIn(value['skills']), handshake, era };
}

const EMPTY = { tools: [], prompts: [], resources: [], templates: [] } as const;

function handshakeIn(value: unknown): Handshake | undefined {
  // The parts are stored beside the whole.
  if (!isFields(value) || weightOf(value, 2 * LARGEST_HANDSHAKE) > 2 * LARGEST_HANDSHAKE) return undefined;
  const { capabilities, instructions, result, serverInfo } = value;
  const isWhole = isFields(capabilities) && isFields(serverInfo) && isFields(result);
  // In this order, since handshakes are compared as JSON.
  return isWhole
    ? { serverInfo, capabilities, instructions: typeof instructions === 'string' ? instructions : undefined, result }
    : undefined;
}
