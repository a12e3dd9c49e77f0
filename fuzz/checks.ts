/** What must hold for every answer. */
import { SECRETS, type World } from './world.js';

const STACK = /\n\s+at .+:\d+:\d+|node:internal\/|file:\/\/\/\S+\.js:\d+/;
/** Longer answers are searched at both ends. */
const SEARCHED = 200_000;

/** Problems of a text that reaches a host: secrets, and traces of our own code. `asked` is what the answer may repeat. */
export function leaksIn(answer: string, asked: string, world: World, mayShowPaths: boolean): string[] {
  const text = answer.length > 2 * SEARCHED ? answer.slice(0, SEARCHED) + answer.slice(-SEARCHED) : answer;
  const problems: string[] = [];
  for (const [name, secret] of Object.entries(SECRETS))
    if (text.includes(secret) && !asked.includes(secret)) problems.push(`an answer contains the secret ${name}: ${around(text, secret)}`);
  const stack = STACK.exec(text)?.[0];
  if (stack !== undefined && !asked.includes(stack.trim())) problems.push(`an answer contains a stack trace: ${around(text, stack)}`);
  if (!mayShowPaths && text.includes(world.root) && !asked.includes(world.root))
    problems.push(`an answer contains a path of this machine: ${around(text, world.root)}`);
  return problems;
}

/** What is wrong with a message as JSON-RPC 2.0; undefined if nothing is. */
export function invalidMessage(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return 'not an object';
  const { jsonrpc, id, method, result, error } = message as Record<string, unknown>;
  if (jsonrpc !== '2.0') return 'no jsonrpc 2.0';
  if (method !== undefined)
    return typeof method === 'string' && result === undefined && error === undefined ? undefined : 'a method and an answer';
  if (id === undefined || (id !== null && typeof id !== 'string' && typeof id !== 'number')) return 'an answer without an id';
  if ((result === undefined) === (error === undefined)) return 'neither or both of result and error';
  if (error === undefined) return typeof result === 'object' && result !== null ? undefined : 'a result that is not an object';
  const { code, message: words } = (error ?? {}) as Record<string, unknown>;
  return Number.isInteger(code) && typeof words === 'string' ? undefined : 'an error without code or message';
}

/** Of a line that is read: docs/security.md. */
const LONGEST_LINE = 6 * 1024 * 1024;
/** Values that may be keys of one object. */
const MAX_VALUES = 25_000;

/** Whether a line is too long or may have too many values, so that it is refused without its id. */
export function mayBeRefusedUnread(line: string): boolean {
  return Buffer.byteLength(line) > LONGEST_LINE || line.split(/[,[{]/, MAX_VALUES).length === MAX_VALUES;
}

function around(text: string, found: string): string {
  const at = text.indexOf(found);
  return JSON.stringify(text.slice(Math.max(0, at - 80), at + found.length + 80));
}
