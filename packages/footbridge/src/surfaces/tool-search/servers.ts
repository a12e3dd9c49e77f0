/** The servers that tools are found on, and what each is for, in few words. */
import type { Snapshot } from '../../catalog/snapshot.js';
import type { Upstream } from '../../sources/forwarding.js';
import { type ContributedTool, isUpstreamTool, nameOfTool } from '../../sources/source.js';
import { oneLine, shorten } from '../text.js';

/** A server with tools. */
interface ServerTools {
  readonly upstream: Upstream;
  readonly tools: readonly ContributedTool[];
}

/** Characters of what one server is for. */
const LONGEST_PURPOSE = 120;
/** Less than that is meaningless. */
const SHORTEST_PURPOSE = 24;
/** Names of tools that stand for a purpose that a server has not stated. */
const MAX_NAMED = 4;

/** One line for each server within `room` characters: with its purpose, else names alone, else as many as fit. */
export function serverLines(snapshot: Snapshot, room: number): string {
  // There may be a thousand, which cannot have a line each.
  if (snapshot.upstreams.length * SHORTEST_PURPOSE > room) {
    const named = upstreamsWithTools(snapshot);
    if (named.length * SHORTEST_PURPOSE > room) return namesWithin(named, room);
  }
  const servers = serversWithTools(snapshot);
  const heads = servers.map(({ tools: { length }, upstream: { name } }) => `- ${name} (${length === 1 ? '1 tool' : `${length} tools`})`);
  const left = room - heads.reduce((sum, head) => sum + head.length + ': \n'.length, 0);
  const each = Math.min(LONGEST_PURPOSE, Math.floor(left / Math.max(1, servers.length)));
  if (each >= SHORTEST_PURPOSE)
    return servers
      .map((server, at) => {
        const purpose = purposeOf(server);
        return `${heads[at]}${purpose === '' ? '' : `: ${shorten(purpose, each)}`}`;
      })
      .join('\n');
  return namesWithin(upstreamsWithTools(snapshot), room);
}

/** The names of servers with tools. */
export function serverNames(snapshot: Snapshot, room: number): string {
  return namesWithin(upstreamsWithTools(snapshot), room);
}

function namesWithin(servers: readonly Upstream[], room: number): string {
  const names = servers.map(({ name }) => name);
  let length = 0;
  const fitting = names.findIndex((name) => {
    length += name.length + 2;
    return length > room - ', and 1,000,000 more'.length;
  });
  return fitting === -1 ? names.join(', ') : `${names.slice(0, fitting).join(', ')}, and ${names.length - fitting} more`;
}

/** In the order of the configuration. */
function upstreamsWithTools({ tools, upstreams }: Snapshot): readonly Upstream[] {
  const own = new Set<Upstream>();
  for (const tool of tools) if (isUpstreamTool(tool)) own.add(tool.upstream);
  return own.size === upstreams.length ? upstreams : upstreams.filter((upstream) => own.has(upstream));
}

function serversWithTools({ tools, upstreams }: Snapshot): readonly ServerTools[] {
  const own = new Map<Upstream, ContributedTool[]>();
  let last: { readonly upstream: Upstream; readonly tools: ContributedTool[] } | undefined;
  for (const tool of tools) {
    if (!isUpstreamTool(tool)) continue;
    const { upstream } = tool;
    // The tools of a server follow each other.
    if (last?.upstream !== upstream) {
      last = { upstream, tools: own.get(upstream) ?? [] };
      own.set(upstream, last.tools);
    }
    last.tools.push(tool);
  }
  return upstreams.flatMap((upstream) => {
    const found = own.get(upstream);
    return found === undefined ? [] : [{ upstream, tools: found }];
  });
}

function purposeOf({ tools, upstream }: ServerTools): string {
  // A stated purpose may be a whole manual.
  const stated = oneLine((upstream.purpose ?? '').slice(0, 4 * LONGEST_PURPOSE));
  return stated === '' ? namesOf(tools) : firstSentence(stated);
}

function firstSentence(text: string): string {
  const end = text.search(/[.!?] /);
  return end < SHORTEST_PURPOSE ? text : text.slice(0, end + 1);
}

function namesOf(tools: readonly ContributedTool[]): string {
  const names = tools.slice(0, MAX_NAMED).map((tool) => (isUpstreamTool(tool) ? tool.original(nameOfTool(tool)) : nameOfTool(tool)));
  return names.map(oneLine).join(', ');
}
