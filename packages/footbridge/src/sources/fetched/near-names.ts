/** Near matches for an unknown name or specification. */
import { distance } from 'fastest-levenshtein';

const MAX = 3;
/** Further and longer names are ignored. */
const MAX_COMPARED = 5000;
const LONGEST = 128;

/** The most similar names, the nearest first. */
export function nearNames(wanted: string, names: Iterable<string>): readonly string[] {
  const key = wanted.slice(0, LONGEST).toLowerCase();
  const most = Math.min(key.length - 1, Math.max(2, Math.floor(key.length * 0.4)));
  return [...new Set(names)]
    .slice(0, MAX_COMPARED)
    .map((name) => ({ name, steps: distance(name.slice(0, LONGEST).toLowerCase(), key) }))
    .filter(({ steps }) => steps <= most)
    .sort((one, other) => one.steps - other.steps)
    .slice(0, MAX)
    .map(({ name }) => name);
}

/** The sentence that names them; `otherwise` if there are none. */
export function didYouMean(near: readonly string[], otherwise: string): string {
  return near.length === 0 ? otherwise : `Did you mean ${near.join(' or ')}?`;
}

const SITES: Readonly<Record<string, string>> = { gitlab: 'gitlab.com', codeberg: 'codeberg.org', bitbucket: 'bitbucket.org' };
const PREFIXES = ['github', 'npm', 'oci', 'mcp', ...Object.keys(SITES)];

/** Specifications with a similar spelling. They may be invalid. */
export function nearSpecifications(text: string): readonly string[] {
  const scheme = /^https?:\/\//i.exec(text)?.[0];
  if (scheme !== undefined) return [scheme.toLowerCase() + text.slice(scheme.length)];
  const [, prefix, rest = ''] = /^([A-Za-z]{1,12}):(?:\/\/)?(.+)$/.exec(text) ?? [];
  if (prefix !== undefined)
    return (prefix === 'gh' ? ['github'] : nearNames(prefix, PREFIXES).slice(0, 1)).map((name) => withPrefix(name, rest));
  if (/^[\w-]+(?:\.[\w-]+)+\/./.test(text)) return [`https://${text}`];
  if (/^@[\w.~-]+\/[\w.~-]+(?:@.+)?$/.test(text)) return [`npm:${text}`];
  if (/^[\w-][\w.-]*\/[\w./@-]+$/.test(text)) return [`github:${text}`, `./${text}`];
  return /^[\w.-]+$/.test(text) ? [`./${text}`, `npm:${text}`] : [];
}

function withPrefix(name: string, rest: string): string {
  const site = SITES[name];
  if (site !== undefined) return `https://${site}/${rest}`;
  return name === 'oci' ? `oci://${rest}` : `${name}:${rest}`;
}
