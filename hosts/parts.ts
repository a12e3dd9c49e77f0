/** Reads texts that arrive in parts: the first line of a part states its range, the total, and the call for the next part. */
import { fieldOf, parsed, stringsIn } from './json.js';

/** A call that the first line of a part names. */
export interface NextCall {
  readonly tool: string;
  readonly input: object;
}

export interface Part {
  readonly from: number;
  readonly to: number;
  readonly total: number;
  readonly next?: NextCall;
  /** Everything after the first line, including text that the host adds. */
  readonly rest: string;
}

const FIRST_LINE = /\[Part: characters (\d+)-(\d+) of (\d+)\.([^\n]*)\]\n/;
const CALL = /([\w.-]+)\((\{.*\})\)/;

/** The part in the result of a call, in either half and however the host wraps it; undefined if the result is not a part. */
export function partIn(result: string): Part | undefined {
  for (const reading of readingsOf(result)) {
    const match = FIRST_LINE.exec(reading);
    if (match === null) continue;
    const [line, from, to, total, remark = ''] = match;
    const rest = reading.slice(match.index + line.length);
    return { from: Number(from), to: Number(to), total: Number(total), ...nextIn(remark), rest };
  }
  return structuredPart(parsed(result) ?? parsed(jsonIn(result)));
}

/** The part in the structured half, which some hosts give their model alone. */
function structuredPart(value: unknown): Part | undefined {
  const [from, to, total] = ['offset', 'next_offset', 'total'].map((name) => fieldOf(value, name));
  if (typeof from !== 'number' || typeof total !== 'number') return undefined;
  const next = fieldOf(value, 'next');
  const rest = stringsIn(value)
    .filter((each) => each !== next)
    .reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  return { from, to: typeof to === 'number' ? to : total, total, ...nextIn(String(next ?? '')), rest };
}

function nextIn(remark: string): { readonly next?: NextCall } {
  const [, tool, text = ''] = CALL.exec(remark) ?? [];
  const input = parsed(text);
  return tool !== undefined && typeof input === 'object' && input !== null ? { next: { tool, input } } : {};
}

/** Whether results, taken together, contain a text whole: in one piece, or in parts that follow each other. */
export function isWhole(results: readonly string[], text: string): boolean {
  if (results.some((result) => readingsOf(result).some((reading) => reading.includes(text)))) return true;
  const parts = results.map(partIn).filter((part) => part !== undefined);
  return isSequence(parts) && (joined(parts).includes(text) || isDivided(parts, text));
}

/** Whether parts cover everything from the first character to the last, without gaps. */
function isSequence(parts: readonly Part[]): boolean {
  const ends = [0, ...parts.map(({ to }) => to)];
  return parts.length > 0 && parts.every(({ from }, index) => from === ends[index]) && parts.at(-1)?.to === parts[0]?.total;
}

function joined(parts: readonly Part[]): string {
  return parts.map(({ from, to, rest }) => rest.slice(0, to - from)).join('');
}

/** Whether each part contains its range of the text, next to a heading that is not counted. */
function isDivided(parts: readonly Part[], text: string): boolean {
  return parts[0]?.total === text.length && parts.every(({ from, to, rest }) => rest.includes(text.slice(from, to)));
}

/** What a model can read in a result: the text itself, and the strings of JSON that the host has wrapped it in. */
function readingsOf(result: string): string[] {
  return [result, ...stringsIn(parsed(result) ?? parsed(jsonIn(result))).filter((text) => text !== result)];
}

/** What looks like JSON between other words. */
function jsonIn(text: string): string {
  const start = text.search(/[[{]\s*["{[]/);
  return start === -1 ? '' : text.slice(start, Math.max(text.lastIndexOf(']'), text.lastIndexOf('}')) + 1);
}
