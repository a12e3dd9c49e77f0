/** Front matter for display: not full YAML, only fields and their values. */

export interface FrontmatterField {
  readonly name: string;
  readonly value: string;
}

export interface Document {
  readonly fields: readonly FrontmatterField[];
  readonly body: string;
}

/** Splits front matter from the body. */
export function splitDocument(text: string): Document {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  return match === null ? { fields: [], body: text } : { fields: fieldsOf(match[1] ?? ''), body: text.slice(match[0].length) };
}

function fieldsOf(yaml: string): readonly FrontmatterField[] {
  const fields: { name: string; lines: string[] }[] = [];
  for (const line of yaml.split(/\r?\n/)) {
    const [, name, value = ''] = /^([\w-]+):(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) fields.push({ name, lines: /^[|>][-+]?\d?$/.test(value) ? [] : [unquoted(value)] });
    else fields.at(-1)?.lines.push(line.replace(/^ {1,2}/, ''));
  }
  return fields.map(({ name, lines }) => ({ name, value: lines.join('\n').trim() }));
}

function unquoted(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1]?.replaceAll('\\"', '"') ?? /^'(.*)'$/.exec(value)?.[1]?.replaceAll("''", "'") ?? value;
}
