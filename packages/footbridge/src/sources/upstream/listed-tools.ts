/** The tools that one server lists, under the names that hosts see. Each is a name, until somebody looks at its definition. */
import type { Prompt, Tool } from '@modelcontextprotocol/server';
import { matches } from '../../pattern.js';
import { resemblesOwnTool } from '../../tool-names.js';
import { stepsOver } from '../../turns.js';
import type { Forwarded } from '../forwarding.js';
import type { UpstreamTool } from '../source.js';
import { isShown } from './filter.js';
import { type ToolHead, toolHeadsOf, toolKeyOf, type UpstreamListing } from './listing.js';
import type { ServerSettings } from './options.js';
import type { ManagedUpstream } from './upstream.js';

/** The name of a server's own, where it is shown as it is. */
export const UNCHANGED = (shown: string) => shown;

/** Adds the tools of a server that are shown, under the names that hosts see. */
export function stepsToTools(
  tools: UpstreamTool[],
  upstream: ManagedUpstream,
  listing: UpstreamListing,
  prefix: string,
  alone: boolean,
): Iterable<void> {
  const { name, server, signIn } = upstream;
  const prefixed = new ToolNames(upstream, listing, prefix);
  // No name of ours contains what separates the name of a server from that of its tool.
  const mayResemble = !prefix.includes(SEPARATOR);
  let next = 0;
  return stepsOver(toolHeadsOf(listing), (head) => {
    const at = next++;
    const own = head.name;
    if (signIn !== undefined && upstream.isSignIn(own))
      tools.push(new ListedTool(new ToolNames(upstream, listing, ''), head, at, false, undefined));
    else if (isShown(server, 'tools', own)) {
      // A tool that has one of our names, or would pass for ours, keeps that only where there is nothing else.
      if (!mayResemble || !resemblesOwnTool(prefix + own))
        tools.push(new ListedTool(prefixed, head, at, searchOf(server, own, prefix), undefined));
      else {
        const beside = new ToolNames(upstream, listing, `${name}${SEPARATOR}`);
        if (alone) tools.push(new ListedTool(prefixed, head, at, searchOf(server, own, prefix), 'alone'));
        tools.push(new ListedTool(beside, head, at, searchOf(server, own, beside.prefix), 'beside'));
      }
    }
  });
}

/** Between the name of a server and that of its tool. */
export const SEPARATOR = '__';

/** What the tools of a server under one prefix have in common. */
class ToolNames {
  readonly #listing: UpstreamListing;
  readonly original: Forwarded['original'];

  constructor(
    readonly upstream: ManagedUpstream,
    listing: UpstreamListing,
    readonly prefix: string,
  ) {
    this.#listing = listing;
    this.original = originalOf(prefix);
  }

  /** Parses the definition where that was not done yet. */
  entryOf({ name }: ToolHead, at: number): Tool {
    // A damaged cache may lack it.
    const { toolAt } = this.#listing;
    const tool = toolAt === undefined ? this.#listing.tools[at] : toolAt.call(this.#listing, at);
    return prefixed(tool ?? { name, inputSchema: { type: 'object' } }, this.prefix);
  }

  keyOf(at: number): number {
    return toolKeyOf(this.#listing, at);
  }
}

/** Its definition is looked up when it is needed. */
class ListedTool implements UpstreamTool {
  readonly name: string;
  readonly needsTask: boolean;
  readonly #names: ToolNames;
  readonly #head: ToolHead;
  readonly #at: number;
  #entry: Tool | undefined;

  constructor(
    names: ToolNames,
    head: ToolHead,
    at: number,
    readonly toolSearch: UpstreamTool['toolSearch'],
    readonly shownWhen: UpstreamTool['shownWhen'],
  ) {
    this.name = names.prefix + head.name;
    this.needsTask = head.needsTask === true;
    this.#names = names;
    this.#head = head;
    this.#at = at;
  }

  get upstream(): UpstreamTool['upstream'] {
    return this.#names.upstream;
  }

  get original(): UpstreamTool['original'] {
    return this.#names.original;
  }

  get definitionKey(): number {
    return this.#names.keyOf(this.#at);
  }

  get entry(): Tool {
    this.#entry ??= this.#names.entryOf(this.#head, this.#at);
    return this.#entry;
  }
}

function searchOf({ always, toolSearch }: ServerSettings, own: string, prefix: string): UpstreamTool['toolSearch'] {
  if (always === undefined) return toolSearch;
  return always.some((pattern) => matches(pattern, own) || matches(pattern, prefix + own)) ? false : toolSearch;
}

/** Under the name that hosts see. */
export function prefixed<T extends Tool | Prompt>(entry: T, prefix: string): T {
  return prefix === '' ? entry : { ...entry, name: `${prefix}${entry.name}` };
}

/** Leads back to the server's own name. */
export function originalOf(prefix: string): Forwarded['original'] {
  return prefix === '' ? UNCHANGED : (shown) => shown.slice(prefix.length);
}
