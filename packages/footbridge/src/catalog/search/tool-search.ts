/** Search over contributed tools: follows the snapshots of one catalog between calls, and ranks what it has indexed so far. */
import { setImmediate, setTimeout } from 'node:timers/promises';
import { contentKey } from '../../content-key.js';
import type { Upstream } from '../../sources/forwarding.js';
import { type ContributedTool, isUpstreamTool, nameOfTool } from '../../sources/source.js';
import { inTurns, Turns } from '../../turns.js';
import type { Catalog } from '../catalog.js';
import { editsBetween } from '../edits.js';
import { PostingIndex } from './posting-index.js';
import { RankedTools } from './ranked-tools.js';
import { scanSkills } from './scan.js';
import { Terms } from './terms.js';
import { spaced, textIn } from './tool-document.js';
import { ToolDocuments } from './tool-documents.js';
import { toolRequestOf } from './tool-query.js';
import { stepsToRank } from './tool-ranking.js';

/** How long a search waits for tools that are not indexed yet. */
const PATIENCE_MS = 8;
/** How long a scan of more than a thousand tools takes at most. */
const SCAN_MS = 6;
/** The part of a score that depends on how much of the query was found. */
const COVERAGE = 0.4;
/** Removed tools that are no reason to index all others again. */
const FEW_REMOVALS = 1000;
/** So many are made without a look at what is stored. */
const FEW_ADDED = 64;

export interface FoundTools {
  /** Best first. */
  readonly tools: readonly ContributedTool[];
  /** Whether every tool was looked at. */
  readonly isComplete: boolean;
}

interface Indexed {
  readonly id: number;
  /** What it was made of: a list that was combined again has other objects around the same definitions. */
  readonly key: number;
}

const searches = new WeakMap<Catalog, ToolSearchIndex>();

/** Tools that match a request. Waits some milliseconds for the index, which is built in slices. */
export function searchTools(catalog: Catalog, query: string): Promise<FoundTools> {
  return indexOf(catalog).find(query);
}

/** Starts to index, and does what only the first search of a process has to do, in slices. */
export async function prepareToolSearch(catalog: Catalog): Promise<void> {
  toolRequestOf('prepare the first search', new Terms(), () => 0);
  await setImmediate();
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
  #documents: ToolDocuments;
  #index = new PostingIndex(COVERAGE);
  /** By name. */
  readonly #entries = new Map<string, Indexed>();
  #ranked: RankedTools;
  /** Their words are still in the dictionary. */
  #removals = 0;
  #done: readonly ContributedTool[] = [];
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
    this.#documents = new ToolDocuments(catalog.searchCache);
    this.#ranked = new RankedTools(this.#documents.terms);
    catalog.onClose(() => {
      this.#isClosed = true;
      this.#documents.close();
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
    const isComplete = this.#done === snapshot.tools && this.#working === undefined;
    const tools = isComplete ? await this.#rank(query) : await scan(snapshot.tools, query);
    return { tools: [...new Set([...namedTools(snapshot.tools, query.trim()), ...tools])], isComplete };
  }

  async #rank(query: string): Promise<readonly ContributedTool[]> {
    const ranked = this.#ranked;
    const ids = await inTurns(stepsToRank(query, ranked, this.#index, this.#documents.terms), 'call');
    return ids.flatMap((id) => this.#catalog.snapshot.findTool(ranked.get(id)?.name ?? '') ?? []);
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
      if (this.#index.isFragmented || this.#removals > this.#entries.size + FEW_REMOVALS) this.#reset();
      await this.#update(tools, turns);
      this.#done = tools;
    }
  }

  /** Adds what is new, and removes what is gone or differs. */
  async #update(tools: readonly ContributedTool[], turns: Turns): Promise<void> {
    const edits = editsBetween(this.#done, tools);
    const gone = new Map<string, Indexed>();
    for (const tool of edits.flatMap(({ removed }) => removed)) {
      const known = this.#entries.get(nameOfTool(tool));
      if (known !== undefined) gone.set(nameOfTool(tool), known);
      if (turns.isOver) await turns.next();
    }
    const added = edits.flatMap((edit) => edit.added);
    const isLarge = added.length > FEW_ADDED;
    if (isLarge) await this.#documents.load();
    let last: Upstream | undefined;
    for (const tool of added) {
      const name = nameOfTool(tool);
      const key = keyOf(tool);
      const known = this.#entries.get(name);
      gone.delete(name);
      if (known?.key !== key) {
        const id = this.#index.add(this.#documents.of(tool, key));
        if (known !== undefined) this.#remove(known.id);
        this.#entries.set(name, { id, key });
        this.#ranked.add(id, name, serverOf(tool));
      }
      // The tools of a server follow each other, and what it says may have to be read first.
      if (isUpstreamTool(tool) && tool.upstream !== last) {
        last = tool.upstream;
        this.#ranked.servers.describe(last.name, last.purpose ?? '');
      }
      if (!turns.isOver) continue;
      this.#index.sort();
      await turns.next();
      if (this.#isClosed) return;
    }
    this.#index.sort();
    for (const [name, { id }] of gone) {
      this.#remove(id);
      this.#entries.delete(name);
      if (turns.isOver) await turns.next();
    }
    for (const _ of this.#ranked.updateServers()) if (turns.isOver) await turns.next();
    if (isLarge) await this.#documents.release(this.#entries);
  }

  #remove(id: number): void {
    this.#removals++;
    this.#index.remove(id);
    this.#ranked.remove(id);
  }

  #reset(): void {
    this.#removals = 0;
    this.#done = [];
    this.#documents.close();
    this.#documents = new ToolDocuments(this.#catalog.searchCache);
    this.#ranked = new RankedTools(this.#documents.terms);
    this.#index = new PostingIndex(COVERAGE);
    this.#entries.clear();
  }
}

/** What is indexed depends on the names of a tool and of its server, and on its definition. */
function keyOf(tool: ContributedTool): number {
  const definition = (isUpstreamTool(tool) ? tool.definitionKey : undefined) ?? contentKey('', JSON.stringify(tool.entry));
  return contentKey(`${serverOf(tool)}\n${nameOfTool(tool)}`, String(definition));
}

/** Tools with exactly this name, or with this name on their server. */
function namedTools(tools: readonly ContributedTool[], wanted: string): readonly ContributedTool[] {
  if (wanted === '' || wanted.includes(' ')) return [];
  return tools.filter((tool) => {
    const name = nameOfTool(tool);
    return name.endsWith(wanted) && (name === wanted || (isUpstreamTool(tool) && tool.original(name) === wanted));
  });
}

/** By names and descriptions alone, for the moments before there is an index. */
async function scan(tools: readonly ContributedTool[], query: string): Promise<readonly ContributedTool[]> {
  const texts = tools.map((tool) => new ScannedTool(tool));
  return (await scanSkills(texts, query, performance.now() + SCAN_MS)).map(({ tool }) => tool);
}

/** Its definition may have to be parsed first, so that takes place when it is looked at. */
class ScannedTool {
  readonly group: readonly string[] = NO_GROUP;

  constructor(readonly tool: ContributedTool) {}

  get name(): string {
    return spaced(nameOfTool(this.tool));
  }

  get description(): string {
    return textIn(this.tool.entry.description);
  }
}

const NO_GROUP: readonly string[] = [];

function serverOf(tool: ContributedTool): string {
  return isUpstreamTool(tool) ? tool.upstream.name : '';
}
