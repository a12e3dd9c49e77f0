/** The fast way to read what programs write: JSON without comments, and servers that are started by a plain command or reached at a URL. */
import { isFields, parseJson } from '../../json.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { hasCredentials, hasNoNul, isHeaderName, isHeaderValue, isVariableName } from '../server-values.js';
import { isIdle, isToolSearch, isWebUrl } from './parts.js';
import { expandVariables, mayHaveVariables } from './variables.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * The value of plain JSON, with variables expanded. Undefined for any other text, and if something may be
 * wrong: that is parsed again, with positions.
 */
export function plainValue(
  text: string,
  environment: NodeJS.ProcessEnv | undefined,
  { deepest, mostTokens }: { readonly deepest: number; readonly mostTokens: number },
): { readonly value: unknown } | undefined {
  const properties = propertiesIn(text, deepest, mostTokens);
  if (properties === undefined || text.includes('__proto__')) return undefined;
  const hasVariables = mayHaveVariables(text);
  if (hasVariables && environment === undefined) return undefined;
  const parsed = parseJson(text);
  if (parsed === undefined) return undefined;
  const walk = new Walk(hasVariables ? environment : undefined);
  const value = walk.expanded(parsed, false);
  // Of two with one name, only the second is left.
  return walk.isSound && walk.properties === properties ? { value } : undefined;
}

class Walk {
  properties = 0;
  isSound = true;
  readonly #environment: NodeJS.ProcessEnv | undefined;

  constructor(environment: NodeJS.ProcessEnv | undefined) {
    this.#environment = environment;
  }

  expanded(value: unknown, isSource: boolean): unknown {
    if (typeof value === 'string') return this.#text(value, isSource);
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) value[index] = this.expanded(value[index], isSource);
      return value;
    }
    if (!isFields(value)) return value;
    const isWhole = this.properties === 0;
    for (const key in value) {
      this.properties++;
      const before = value[key];
      const after = this.expanded(before, isSource || (isWhole && key === 'sources'));
      if (after !== before) value[key] = after;
    }
    return value;
  }

  #text(text: string, isSource: boolean): string {
    if (this.#environment === undefined || !text.includes('${')) return text;
    const expansion = isSource ? undefined : expandVariables(text, this.#environment);
    if (expansion?.ok === true) return expansion.text;
    this.isSound = false;
    return text;
  }
}

/** How many properties a JSON text has; undefined where it is beyond the limits. */
function propertiesIn(text: string, deepest: number, mostTokens: number): number | undefined {
  let depth = 0;
  let tokens = 0;
  let properties = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      tokens++;
      at = endOfText(text, at);
    } else if (code === COLON) {
      properties++;
      tokens++;
    } else if (code === COMMA) tokens += 2;
    else if (code === BRACKET || code === BRACE) {
      depth++;
      tokens += 2;
    } else if (code === BRACKET + 2 || code === BRACE + 2) depth--;
    if (depth > deepest || tokens > mostTokens) return undefined;
  }
  return properties;
}

function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end;
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((end - slashes) % 2 === 0) return end;
  }
  return text.length;
}

/** The setting `mcpServers` without the servers that are known to be valid, and those. */
export function plainServers(value: unknown): { readonly plain: ReadonlyMap<string, UpstreamServer>; readonly rest: unknown } {
  const plain = new Map<string, UpstreamServer>();
  const servers = isFields(value) ? value['mcpServers'] : undefined;
  if (!isFields(value) || !isFields(servers)) return { plain, rest: value };
  const others: Record<string, unknown> = {};
  for (const name in servers) {
    const server = isServerName(name) ? plainServer(servers[name]) : undefined;
    if (server === undefined) others[name] = servers[name];
    else plain.set(name, server);
  }
  return { plain, rest: plain.size === 0 ? value : { ...value, mcpServers: others } };
}

function isServerName(name: string): boolean {
  return /^[a-zA-Z0-9](?:[\w.-]{0,62}[a-zA-Z0-9])?$/.test(name) && !name.includes('__');
}

/** A server with only the usual settings; undefined for any other, which the schema validates. */
function plainServer(value: unknown): UpstreamServer | undefined {
  if (!isFields(value)) return undefined;
  const { type, disabled, command, args, env, cwd, url, headers, idle, toolSearch, ...unknown } = value;
  for (const _ in unknown) return undefined;
  if (disabled !== undefined && disabled !== false) return undefined;
  if ((idle !== undefined && !isIdle(idle)) || (toolSearch !== undefined && !isToolSearch(toolSearch))) return undefined;
  const settings = { idle, toolSearch };
  if (url === undefined) {
    if (headers !== undefined || (type !== undefined && type !== 'stdio')) return undefined;
    if (!isFilled(command) || (cwd !== undefined && !isFilled(cwd))) return undefined;
    if ((args !== undefined && !isWords(args)) || (env !== undefined && !isRecord(env, isVariableName, hasNoNul))) return undefined;
    return { command, args, env, cwd, ...settings };
  }
  if (command !== undefined || args !== undefined || env !== undefined || cwd !== undefined) return undefined;
  if ((type !== undefined && type !== 'http' && type !== 'streamable-http' && type !== 'sse') || typeof url !== 'string') return undefined;
  if (!isWebUrl(url) || hasCredentials(url) || (headers !== undefined && !isRecord(headers, isHeaderName, isHeaderValue))) return undefined;
  return { url, headers, oauth: undefined, signIn: undefined, ...settings };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && hasNoNul(value);
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && hasNoNul(each));
}

function isRecord(value: unknown, isName: (name: string) => boolean, isValue: (value: string) => boolean): value is Record<string, string> {
  return isFields(value) && Object.entries(value).every(([name, each]) => isName(name) && typeof each === 'string' && isValue(each));
}
