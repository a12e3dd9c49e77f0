/** The content of a resource as `data` of a result. */
import { isDeep } from '../../json.js';
import type { ResourceContents } from '../../sources/resource.js';

/** The parsed JSON of a JSON resource; the text or the blob of any other. Do not change it: several results may share it. */
export function toData(contents: ResourceContents): unknown {
  if ('blob' in contents) return { blob: contents.blob };
  const { text, mimeType } = contents;
  return isJson(mimeType) ? parsed(text) : { text };
}

export function isJson(mimeType = ''): boolean {
  return mimeType === 'application/json' || /^application\/(?:[\w.+-]+\+)?json\b/i.test(mimeType);
}

/** Texts that were parsed last, by their text: a resource is often read again without having changed. */
const known = new Map<string, unknown>();
const MAX_KNOWN = 64;
const LONGEST_KNOWN = 4096;

function parsed(text: string): unknown {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (losesNumbers(text) || isDeep(text)) return { text };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { text };
  }
  if (text.length > LONGEST_KNOWN) return data;
  const [oldest] = known.size === MAX_KNOWN ? known.keys() : [];
  if (oldest !== undefined) known.delete(oldest);
  known.set(text, frozen(data));
  return data;
}

/** With everything inside. */
function frozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(Object.freeze(value))) frozen(each);
  return value;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const STRING = /"(?:[^"\\]|\\.?)*"?/gs;

/** Whether parsing would change a number that JavaScript cannot represent. */
function losesNumbers(text: string): boolean {
  if (!/[\d.]{16}|\d[eE]|-0/.test(text)) return false;
  return [...text.replace(STRING, '""').matchAll(NUMBER)].some(([token]) => {
    const value = Number(token);
    if (!Number.isFinite(value) || Object.is(value, -0)) return true;
    const digits = token.replace(/[eE].*$|[-.]/gs, '').replace(/^0+|(?<!0)0+$/g, '');
    return digits.length > 15 && !Number.isSafeInteger(value) && String(value) !== token;
  });
}
