/** Parses the configuration of a host. */
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { parseYaml, repeatedKey, type YamlLimits } from '../../bounded-yaml.js';
import { isDeep, isFields } from '../../json.js';
import { placeAt, syntaxMessage } from '../config/problems.js';
import type { McpHost } from './registry.js';

type ParsedDocument =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly problem: string; readonly line?: number; readonly column?: number };

const BYTE_ORDER_MARK = '\uFEFF';

/** Separates the byte order mark, which is kept. */
export function splitMark(text: string): { readonly mark: string; readonly body: string } {
  return text.startsWith(BYTE_ORDER_MARK) ? { mark: BYTE_ORDER_MARK, body: text.slice(1) } : { mark: '', body: text };
}

/** An empty text is an empty object. */
export async function parseDocument(text: string, format: McpHost['format']): Promise<ParsedDocument> {
  const { body } = splitMark(text);
  if (body.trim() === '') return { ok: true, value: {} };
  // The parsers are recursive.
  if (isDeep(body)) return { ok: false, problem: 'It is nested too deeply.' };
  const parsed = format === 'json' ? parseJsonc(body) : format === 'toml' ? await parseToml(body) : await parseYamlText(body);
  if (!parsed.ok) return parsed;
  return isFields(parsed.value) ? { ok: true, value: parsed.value } : { ok: false, problem: 'It is not an object.', line: 1, column: 1 };
}

type Parsed = { readonly ok: true; readonly value: unknown } | Exclude<ParsedDocument, { ok: true }>;

function parseJsonc(body: string): Parsed {
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first === undefined) return { ok: true, value };
  // Only comments.
  if (value === undefined && errors.length === 1 && printParseErrorCode(first.error) === 'ValueExpected') return { ok: true, value: {} };
  return { ok: false, problem: syntaxMessage(first), ...placeAt(body, first.offset) };
}

async function parseToml(body: string): Promise<Parsed> {
  const { parse: parseText, TomlError } = await import('smol-toml');
  try {
    return { ok: true, value: parseText(body, { integersAsBigInt: 'asNeeded' }) };
  } catch (error) {
    if (!(error instanceof TomlError)) return { ok: false, problem: 'This is not TOML.' };
    const [, reason = 'this is not TOML'] = /^Invalid TOML document: ([^\n]*)/.exec(error.message) ?? [];
    return { ok: false, problem: sentence(reason), line: error.line, column: error.column };
  }
}

const YAML_LIMITS: YamlLimits = { characters: 2 ** 20, tokens: 2 ** 17 };

async function parseYamlText(body: string): Promise<Parsed> {
  const library = await import('yaml');
  try {
    const parsed = parseYaml(body, library, YAML_LIMITS, { prettyErrors: false });
    if (!parsed.ok) return { ok: false, problem: sentence(parsed.problem), ...placeAt(body, parsed.at) };
    const { document, hasMore } = parsed;
    if (hasMore) return { ok: false, problem: 'It holds several documents.' };
    let twice: ReturnType<typeof repeatedKey>;
    library.visit(document, {
      Map: (_, map) => {
        twice = repeatedKey(map, library);
        return twice === undefined ? undefined : library.visit.BREAK;
      },
    });
    if (twice !== undefined) return { ok: false, problem: `Duplicate key "${twice.text}".`, ...placeAt(body, twice.at) };
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { ok: true, value: value ?? {} };
  } catch (error) {
    return { ok: false, problem: sentence(error instanceof Error ? error.message : 'This is not YAML') };
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;
}
