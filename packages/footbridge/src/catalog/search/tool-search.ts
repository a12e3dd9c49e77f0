/** Search over contributed tools: follows the snapshots of one catalog between calls, and ranks what it has indexed so far. */
import { setTimeout } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/server';
import { type ContributedTool, isUpstreamTool } from '../../sources/source.js';
import { Turns } from '../../turns.js';
import type { Catalog } from '../catalog.js';
import { DocumentBuilder } from './document.js';
import { PostingIndex } from './posting-index.js';
import { scanSkills } from './scan.js';
import { Terms } from './terms.js';
import { spaced, textIn, toolDocument } from './tool-document.js';
import { type RankedTool, rankedTool, rankTools } from './tool-ranking.js';

/** How long a search waits for tools that are not indexed yet. */
const PATIENCE_MS = 8;
/** How long a scan of more than a thousand tools takes at most. */
const SCAN_MS = 6;
/** The part of a score that depends on how much of the query was found. */
const COVERAGE = 0.4;
/** Removed tools that are no reason to index all others again. */
const FEW_REMOVALS = 1000;

export interface FoundTools {
  /** Best first. */
  readonly tools: readonly ContributedTool[];
  /** Whether every tool was looked at. */
  readonly isComplete: boolean;
}

interface Entry {
  readonly id: number;
  /** What it was indexed as: a list that was combined again has other objects around the same definitions. */
  readonly entry: Tool;
}

const searches = new WeakMap<Catalog, ToolSearchIndex>();

/** Tools that match a request. Waits some milliseconds for the index, which is built in slices. */
export function searchTools(catalog: Catalog, query: string): Promise<FoundTools> {
  return indexOf(catalog).find(query);
}

/** Starts to index, in slices. */
export function prepareToolSearch(catalog: Catalog): void {
  indexOf(catalog).prepare();
}

function indexOf(catalog: Catalog): ToolSearchIndex {
  let index = searches.get(catalog);
  if (index === undefined) {
    index = new ToolSearchIndex(catalog);
    searches.set(catalog, index);
  }
  return index;
}

class ToolSearchIndex {
  readonly #catalog: Catalog;
  #terms = new Terms();
  #builder = new DocumentBuilder(this.#terms);
  #index = new PostingIndex(COVERAGE);
  /** By name. */
  readonly #entries = new Map<string, Entry>();
  /** By id. */
  readonly #ranked = new Map<number, RankedTool>();
  /** Their words are still in the dictionary. */
  #removals = 0;
  #done: readonly ContributedTool[] | undefined;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    catalog.onClose(() => {
      this.#isClosed = true;
    });
  }

  /** A failure is that of the first search. */
  prepare(): void {
    this.#follow()?.catch(() => {});
  }

  async find(query: string): Promise<FoundTools> {
    const work = this.#follow();
    if (work !== undefined) await Promise.race([work, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
    const { snapshot } = this.#catalog;
    const isComplete = this.#done === snapshot.tools;
    const tools = isComplete ? this.#rank(query) : await scan(snapshot.tools, query);
    return { tools: [...new Set([...namedTools(snapshot.tools, query.trim()), ...tools])], isComplete };
  }

  #rank(query: string): readonly ContributedTool[] {
    const ids = rankTools(query, this.#ranked, this.#index, this.#terms);
    return ids.flatMap((id) => this.#catalog.snapshot.findTool(this.#ranked.get(id)?.name ?? '') ?? []);
  }

  /** Starts to follow the snapshot; undefined when all is done. */
  #follow(): Promise<void> | undefined {
    if (this.#done === this.#catalog.snapshot.tools && this.#working === undefined) return undefined;
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #work(): Promise<void> {
    const turns = new Turns();
    while (this.#done !== this.#catalog.snapshot.tools && !this.#isClosed) {
      const { tools } = this.#catalog.snapshot;
      await this.#update(tools, turns);
      this.#done = tools;
    }
  }

  /** Adds what is new, and removes what is gone or differs. */
  async #update(tools: readonly ContributedTool[], turns: Turns): Promise<void> {
    if (this.#index.isFragmented || this.#removals > this.#entries.size + FEW_REMOVALS) this.#reset();
    const gone = new Map(this.#entries);
    for (const tool of tools) {
      const { entry } = tool;
      const known = gone.get(entry.name);
      if (known !== undefined && isSame(known.entry, entry)) gone.delete(entry.name);
      else {
        const id = this.#index.add(this.#builder.compose(toolDocument(entry, serverOf(tool))));
        if (known !== undefined) this.#remove(known.id);
        gone.delete(entry.name);
        this.#entries.set(entry.name, { id, entry });
        this.#ranked.set(id, rankedTool(entry.name, serverOf(tool), this.#terms));
      }
      if (turns.isOver) {
        this.#index.sort();
        await turns.next();
      }
    }
    this.#index.sort();
    for (const [name, { id }] of gone) {
      this.#remove(id);
      this.#entries.delete(name);
    }
  }

  #remove(id: number): void {
    this.#removals++;
    this.#index.remove(id);
    this.#ranked.delete(id);
  }

  #reset(): void {
    this.#removals = 0;
    this.#terms = new Terms();
    this.#builder = new DocumentBuilder(this.#terms);
    this.#index = new PostingIndex(COVERAGE);
    this.#entries.clear();
    this.#ranked.clear();
  }
}

/** Tools with exactly this name, or with this name on their server. */
function namedTools(tools: readonly ContributedTool[], name: string): readonly ContributedTool[] {
  if (name === '' || name.includes(' ')) return [];
  return tools.filter((tool) => tool.entry.name === name || (isUpstreamTool(tool) && tool.original(tool.entry.name) === name));
}

/** By names and descriptions alone, for the moments before there is an index. */
async function scan(tools: readonly ContributedTool[], query: string): Promise<readonly ContributedTool[]> {
  const texts = tools.map((tool) => ({ tool, name: spaced(tool.entry.name), group: [], description: textIn(tool.entry.description) }));
  return (await scanSkills(texts, query, performance.now() + SCAN_MS)).map(({ tool }) => tool);
}

function serverOf(tool: ContributedTool): string {
  return isUpstreamTool(tool) ? tool.upstream.name : '';
}

function isSame(one: Tool, other: Tool): boolean {
  return one.inputSchema === other.inputSchema && one.description === other.description && one.title === other.title;
}
