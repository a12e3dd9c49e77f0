/** The scripted model in one session of a host: it searches for a tool that the host withholds, calls it, and follows parts. */
import { elementsOf, fieldOf, stringsIn } from '../json.js';
import { type NextCall, partIn } from '../parts.js';
import type { Move, OfferedTool, Turn } from './api.js';

/** More than the longest text takes. A host that repeats a request for ever is stopped by it. */
const MAX_MOVES = 150;

/** What the model is to do. */
export interface Script {
  /** The name of the server as the host knows it. */
  readonly label: string;
  /** Calls of the server's tools, one after the other. Each is followed through its parts. */
  readonly calls: readonly NextCall[];
  /** Whether the host offers tools under their own names. */
  readonly bareNames: boolean;
}

/** What the model has been given. */
export interface Experience {
  /** The first request of the conversation, as the model sees it. */
  readonly first: unknown;
  /** All requests before the first call of one of the server's tools: more than one if the model had to search. */
  readonly before: readonly unknown[];
  /** The results of each call of the script: one, or one for each part. */
  readonly results: readonly (readonly string[])[];
  /** Why the script stopped early. */
  readonly problem?: string;
}

export interface ModelSession {
  readonly experience: Experience;
  /** Whether the script has ended. */
  readonly isDone: boolean;
  /** What the model does with a turn. */
  move(turn: Turn, body: unknown): Move;
}

/** Starts a script. */
export function startSession({ label, calls, bareNames }: Script): ModelSession {
  const before: unknown[] = [];
  const results: string[][] = [];
  const queue = [...calls];
  let pending: { readonly move: Move & { kind: 'call' }; readonly seen: number; readonly isSearch: boolean } | undefined;
  let moves = 0;
  let hasSearched = false;
  let problem: string | undefined;
  let isDone = false;

  function stop(reason?: string): Move {
    isDone = true;
    problem ??= reason;
    return { kind: 'say', text: 'Done.' };
  }

  function call(tool: string, input: object, seen: number, isSearch: boolean): Move {
    pending = { move: { kind: 'call', tool, id: `call_${++moves}`, input }, seen, isSearch };
    return pending.move;
  }

  /** Calls a tool of the server, or searches for it. `isNew` is false for the next part of a text. */
  function reach({ tool, input }: NextCall, turn: Turn, body: unknown, isNew: boolean): Move {
    const seen = turn.results.length;
    const offered = nameOffered(turn.tools, tool, bareNames ? undefined : label, hasSearched);
    if (offered !== undefined) {
      if (isNew) results.push([]);
      return call(offered, input, seen, false);
    }
    const search = turn.tools.find(({ name }) => /tool_?search/i.test(name));
    if (search === undefined) return stop(`The host does not offer ${tool}.`);
    if (hasSearched) return stop(`The host's search does not find ${tool}.`);
    hasSearched = true;
    queue.unshift({ tool, input });
    return call(search.name, { query: `select:${nameWithheld(body, tool, label) ?? tool}` }, seen, true);
  }

  return {
    get experience() {
      return { first: before[0], before, results, ...(problem === undefined ? {} : { problem }) };
    },
    get isDone() {
      return isDone;
    },
    move(turn, body) {
      // Hosts also ask for titles and summaries, without tools.
      if (isDone || turn.tools.length === 0) return { kind: 'say', text: 'Done.' };
      if (results.length === 0) before.push(visible(body));
      let following: NextCall | undefined;
      if (pending !== undefined) {
        const { move, seen, isSearch } = pending;
        const result = resultOf(turn, move.id, seen);
        if (result === undefined) return ++moves > MAX_MOVES ? stop('The host repeats a request.') : move;
        pending = undefined;
        if (!isSearch) {
          results.at(-1)?.push(result);
          following = partIn(result)?.next;
        }
      }
      if (moves > MAX_MOVES) return stop('The parts do not end.');
      if (following !== undefined) return reach(following, turn, body, false);
      const next = queue.shift();
      return next === undefined ? stop() : reach(next, turn, body, true);
    },
  };
}

/** The result of a call. Without its identifier it is the last one, if there are more than before; a repeated request has none. */
function resultOf({ results }: Turn, id: string, seen: number): string | undefined {
  return (results.findLast((result) => result.id === id) ?? (results.length > seen ? results.at(-1) : undefined))?.text;
}

/**
 * The name of an offered tool of the server: hosts put the server's name before it, with various signs between. A tool that the host
 * sends along for a search can be called after one.
 */
function nameOffered(tools: readonly OfferedTool[], tool: string, label: string | undefined, hasSearched: boolean): string | undefined {
  const pattern = label === undefined ? new RegExp(`^${tool}$`) : new RegExp(`(?:^|[^A-Za-z0-9])${label}[^A-Za-z0-9]+${tool}$`);
  return tools.find(({ name, definition }) => pattern.test(name) && (hasSearched || !isWithheld(definition)))?.name;
}

/** The name of a tool that is not offered, but occurs somewhere in a request. */
function nameWithheld(body: unknown, tool: string, label: string): string | undefined {
  return new RegExp(`\\b(?:mcp_+)?${label}[_.-]+${tool}\\b`).exec(stringsIn(body).join('\n'))?.[0];
}

/** A request without the tools that are sent along for a search and that the model does not see. */
function visible(body: unknown): unknown {
  const tools = fieldOf(body, 'tools');
  if (typeof body !== 'object' || !Array.isArray(tools)) return body;
  return { ...body, tools: elementsOf(tools).filter((tool) => !isWithheld(tool)) };
}

function isWithheld(definition: unknown): boolean {
  return fieldOf(definition, 'defer_loading') === true;
}
