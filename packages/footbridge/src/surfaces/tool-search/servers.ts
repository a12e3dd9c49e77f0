/** The servers that tools are found on, and what each is for, in few words. */
import type { Snapshot } from '../../catalog/snapshot.js';
import { type ContributedTool, isUpstreamTool, nameOfTool } from '../../sources/source.js';
import { oneLine, shorten } from '../catalogue.js';

/** A server with tools. */
interface ServerSummary {
  readonly name: string;
  readonly tools: number;
  readonly purpose: string;
}

/** Characters of what one server is for. */
const LONGEST_PURPOSE = 120;
/** Less than that is meaningless. */
const SHORTEST_PURPOSE = 24;
/** Names of tools that stand for a purpose that a server has not stated. */
const MOST_NAMED = 4;

/** One line for each server within `room` characters: with its purpose, else names alone, else as many as fit. */
export function serverLines(snapshot: Snapshot, room: number): string {
  const servers = summaries(snapshot);
  const heads = servers.map(({ name, tools }) => `- ${name} (${tools === 1 ? '1 tool' : `${tools} tools`})`);
  const left = room - heads.reduce((sum, head) => sum + head.length + ': \n'.length, 0);
  const each = Math.min(LONGEST_PURPOSE, Math.floor(left / Math.max(1, servers.length)));
  if (each >= SHORTEST_PURPOSE)
    return servers.map(({ purpose }, at) => `${heads[at]}${purpose === '' ? '' : `: ${shorten(purpose, each)}`}`).join('\n');
  return namesWithin(
    servers.map(({ name }) => name),
    room,
  );
}

/** The names of servers with tools. */
export function serverNames(snapshot: Snapshot, room: number): string {
  return namesWithin(
    summaries(snapshot).map(({ name }) => name),
    room,
  );
}

function namesWithin(names: readonly string[], room: number): string {
  let length = 0;
  const fitting = names.findIndex((name) => {
    length += name.length + 2;
    return length > room - ', and 1,000,000 more'.length;
  });
  return fitting === -1 ? names.join(', ') : `${names.slice(0, fitting).join(', ')}, and ${names.length - fitting} more`;
}

function summaries({ tools, upstreams }: Snapshot): readonly ServerSummary[] {
  const own = new Map<unknown, ContributedTool[]>();
  for (const tool of tools) {
    const upstream = isUpstreamTool(tool) ? tool.upstream : undefined;
    const known = own.get(upstream);
    if (known === undefined) own.set(upstream, [tool]);
    else known.push(tool);
  }
  return upstreams.flatMap((upstream) => {
    const found = own.get(upstream);
    if (found === undefined) return [];
    // A stated purpose may be a whole manual.
    const stated = oneLine((upstream.purpose ?? '').slice(0, 4 * LONGEST_PURPOSE));
    return [{ name: upstream.name, tools: found.length, purpose: stated === '' ? namesOf(found) : firstSentence(stated) }];
  });
}

function firstSentence(text: string): string {
  const end = text.search(/[.!?] /);
  return end < SHORTEST_PURPOSE ? text : text.slice(0, end + 1);
}

function namesOf(tools: readonly ContributedTool[]): string {
  const names = tools.slice(0, MOST_NAMED).map((tool) => (isUpstreamTool(tool) ? tool.original(nameOfTool(tool)) : nameOfTool(tool)));
  return names.map(oneLine).join(', ');
}
