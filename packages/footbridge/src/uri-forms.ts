/** One URI in all the spellings that may mean it: what is held against a rule must not slip through by another. */
import { normalizeUri } from './uri-template.js';

/** As it is written, and as a server may come to read it: scheme and host in lower case, decoded, dot segments resolved. */
export function formsOf(uri: string): readonly string[] {
  const written = [uri, normalizeUri(uri), ...resolved(uri)];
  return [...new Set([...written, ...written.flatMap(decoded)])];
}

/** Servers of the SDKs look at a URI through `URL`. */
function resolved(uri: string): readonly string[] {
  return URL.canParse(uri) ? [new URL(uri).href] : [];
}

function decoded(uri: string): readonly string[] {
  try {
    const text = decodeURIComponent(uri);
    return [text, ...resolved(text)];
  } catch {
    return [];
  }
}
