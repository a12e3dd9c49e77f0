/** A server's answers to `resources/read`. */
import { type Fields, isFields } from '../../json.js';
import { InputRequired, type ResourceContents, type ResourceReading } from '../resource.js';

/** The content of an answer. Throws when it is something else. */
export function parseReading(result: Fields): ResourceReading {
  if (result['resultType'] === 'input_required') throw new InputRequired(result);
  const { contents, _meta } = result;
  if (!Array.isArray(contents)) throw new TypeError('the server returned no contents');
  return { contents: contents.map(toContents), _meta: isFields(_meta) ? _meta : undefined };
}

/** An answer with the URI that hosts know in place of the server's own. */
export function withShownUri(result: Fields, own: string, shown: string): Fields {
  const { contents } = result;
  if (own === shown || !Array.isArray(contents)) return result;
  const rename = (each: unknown) => (isFields(each) && each['uri'] === own ? { ...each, uri: shown } : each);
  return { ...result, contents: contents.map(rename) };
}

/** The valid contents of an answer; undefined where it has none. */
export function contentsOf({ contents }: Fields): readonly ResourceContents[] | undefined {
  return Array.isArray(contents) ? contents.filter(isClean) : undefined;
}

function toContents(value: unknown, index: number): ResourceContents {
  if (isClean(value)) return value;
  // An object in this process may hold values that JSON does not: undefined fields, a URL as the URI.
  const sent: unknown = isFields(value) ? JSON.parse(JSON.stringify(value)) : value;
  if (isClean(sent)) return sent;
  throw new TypeError(`the server returned invalid content: contents[${index}]`);
}

/** Whether it has a URI, and either text or a blob. */
function isClean(value: unknown): value is ResourceContents {
  if (!isFields(value) || typeof value['uri'] !== 'string') return false;
  return 'text' in value ? typeof value['text'] === 'string' && !('blob' in value) : typeof value['blob'] === 'string';
}
