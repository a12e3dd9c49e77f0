/** Reads texts that arrive in parts: the first line of a part states its range, the total, and the call for the next part. */
import { parsed, stringsIn } from './json.js';

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
  /** Everything after the first line, with whatever the host adds at the end. */
  readonly rest: string;
}

const FIRST_LINE = /\[Part: characters (\d+)-(\d+) of (\d+)\.([^\n]*)\]\n/;
const NEXT = /Next: ([\w.-]+)\((\{.*\})\)/;

/** The part in the result of a call, however the host wraps it; undefined if the result is not a part. */
export function partIn(result: string): Part | undefined {
  for (const reading of readingsOf(result)) {
    const match = FIRST_LINE.exec(reading);
    if (match === null) continue;
    const [line, from, to, total, remark = ''] = match;
    const next = nextCall(remark);
    const rest = reading.slice(match.index + line.length);
    return { from: Number(from), to: Number(to), total: Number(total), ...(next === undefined ? {} : { next }), rest };
  }
  return undefined;
}

function nextCall(remark: string): NextCall | undefined {
  const [, tool, text = ''] = NEXT.exec(remark) ?? [];
  const input = parsed(text);
  return tool !== undefined && typeof input === 'object' && input !== null ? { tool, input } : undefined;
}

/** Whether results, taken together, contain a text whole: in one piece, or in parts that follow each other. */
export function isWhole(results: readonly string[], text: string): boolean {
  if (results.some((result) => readingsOf(result).some((reading) => reading.includes(text)))) return true;
  const parts = results.map(partIn).filter((part) => part !== undefined);
  return isSequence(parts) && [joinUnits, joinCodePoints].some((join) => join(parts).includes(text));
}

/** Whether parts cover everything from the first character to the last, without gaps. */
function isSequence(parts: readonly Part[]): boolean {
  const ends = [0, ...parts.map(({ to }) => to)];
  return parts.length > 0 && parts.every(({ from }, index) => from === ends[index]) && parts.at(-1)?.to === parts[0]?.total;
}

function joinUnits(parts: readonly Part[]): string {
  return parts.map(({ from, to, rest }) => rest.slice(0, to - from)).join('');
}

function joinCodePoints(parts: readonly Part[]): string {
  return parts.map(({ from, to, rest }) => [...rest].slice(0, to - from).join('')).join('');
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
