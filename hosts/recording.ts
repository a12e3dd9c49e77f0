/** What a model actually gets from Footbridge in a host: its instructions, its tools, and a skill. Written into a page of the documentation. */
import { join } from 'node:path';
import { drive, type Session } from './drive.js';
import { LABEL } from './host.js';
import { elementsOf, fieldOf, stringOf, stringsIn } from './json.js';
import { footbridge, SESSION_MS, type Subject } from './measure.js';

/** The hosts that are shown: one that cuts descriptions and withholds tools, and one that shows all of them. */
export const RECORDED = ['claude-code', 'codex'];
const SKILL = 'commit-messages';
const MAX_LINES = 24;
const MAX_CHARACTERS = 150;
const BEGIN = '<!-- recorded: hosts -->\n';
const END = '<!-- end -->';

export interface Recording {
  readonly title: string;
  readonly instructions: string | undefined;
  /** The names under which the model has the tools at once. */
  readonly tools: readonly string[];
  /** Of the tool `skill`. */
  readonly description: string;
  /** Of its parameter `name`. */
  readonly parameter: string;
  readonly result: string;
}

/** Lets a model load one of the example skills. Throws if the host cannot be driven. */
export async function record({ host, installed, programs }: Subject, root: string): Promise<Recording> {
  const server = footbridge(programs, '--skills', join(root, 'examples', 'skills'));
  const calls = [{ tool: 'skill', input: { name: SKILL } }];
  const session = await drive(host, installed, { server, calls, timeoutMs: SESSION_MS }, programs.tap);
  if (session.problem !== undefined) throw new Error(`${host.title}: ${session.problem}`);
  return recordingOf(`${host.title} ${host.version}`, session, root);
}

function recordingOf(title: string, { first, results }: Session, root: string): Recording {
  const tools = toolsIn(fieldOf(first, 'tools'), '');
  const skill = tools.find(({ name }) => name.endsWith('skill') && !/(?:get|list)_/.test(name));
  const schema = fieldOf(skill?.node, 'input_schema') ?? fieldOf(skill?.node, 'parameters');
  // Some hosts put them between tags of their own.
  const [instructions] = stringsIn(first).flatMap((text) => /Footbridge serves[^<]*/.exec(text) ?? []);
  return {
    title,
    instructions,
    tools: tools.map(({ name }) => name),
    description: stringOf(fieldOf(skill?.node, 'description')) ?? '',
    parameter: stringOf(fieldOf(fieldOf(fieldOf(schema, 'properties'), 'name'), 'description')) ?? '',
    result: (results[0]?.[0] ?? '').replaceAll(root, '/home/you/footbridge'),
  };
}

interface NamedTool {
  readonly name: string;
  readonly node: unknown;
}

/** Those of Footbridge. Some hosts put the tools of a server into a group with its name. */
function toolsIn(tools: unknown, group: string): readonly NamedTool[] {
  return elementsOf(tools).flatMap((node) => {
    const name = [group, stringOf(fieldOf(node, 'name')) ?? ''].filter((part) => part !== '').join('.');
    const inside = toolsIn(fieldOf(node, 'tools'), name);
    return inside.length > 0 || !name.includes(LABEL) ? inside : [{ name, node }];
  });
}

/** The page with the recordings in their place. */
export function withRecordings(page: string, recordings: readonly Recording[], date: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END, page.indexOf(BEGIN))];
  if (begin === -1 || end === -1) throw new Error('The page has no place for recordings.');
  const text = [`Recorded on ${date}. \`${LABEL}\` is the name of the server in the host's configuration.`, ...recordings.map(shown)];
  return `${page.slice(0, begin + BEGIN.length)}\n${text.join('\n\n')}\n\n${page.slice(end)}`;
}

function shown({ description, instructions, parameter, result, title, tools }: Recording): string {
  return [
    `### ${title}`,
    `Its model has ${tools.map((name) => `\`${name}\``).join(', ')} before its first turn${instructions === undefined ? '.' : ', and these instructions:'}`,
    ...(instructions === undefined ? [] : [block(instructions)]),
    'The description of `skill`:',
    block(description),
    'Of its parameter `name`:',
    block(parameter),
    `The result of a call with \`{ "name": "${SKILL}" }\`:`,
    block(result),
  ].join('\n\n');
}

/** Indented, with what is long cut where the page says so. */
function block(text: string): string {
  const lines = text.trim().split(/\r?\n/);
  const kept = lines.slice(0, MAX_LINES).map((line) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line));
  const left = lines.length - kept.length;
  return [...kept, ...(left > 0 ? [`… (${left} more lines)`] : [])].map((line) => (line === '' ? '' : `    ${line}`)).join('\n');
}
