/** The callers on one connection, each with a catalog of their own: a server may show different things to different people. */

import { setTimeout } from 'node:timers/promises';
import type { Tool } from '@modelcontextprotocol/server';
import { Catalog } from '../../catalog/catalog.js';
import type { ReadLimits } from '../../catalog/reads.js';
import { isFields } from '../../json.js';
import type { Log } from '../../log.js';
import { type Cancellation, Context } from '../../sources/context.js';
import type { ReadContext, ResourceContents } from '../../sources/resource.js';
import { ServerError, serverSource } from '../../sources/server/index.js';
import type { ResourceRule } from '../../sources/server/rules.js';
import type { Source } from '../../sources/source.js';
import { listTools, TOOL_NAMES, type ToolChoice } from '../../surfaces/tools/index.js';
import { callerOf, type Identity } from '../identity.js';
import { namesOf } from './amend.js';
import type { Answer } from './messages.js';
import type { Occasion, Questions } from './questions.js';

export interface RelayOptions {
  readonly tools: ToolChoice;
  readonly rules: readonly ResourceRule[];
  readonly limits: Partial<ReadLimits>;
  readonly identity: Identity | undefined;
  /** Besides the server: skills, say. A new one for each catalog. */
  readonly sources: readonly (() => Source)[];
  /** Throws when the server's own transport would refuse this read. */
  readonly guard: ((uri: string, context: ReadContext) => Promise<void> | undefined) | undefined;
  /** Told of each of our names that the server uses itself. */
  readonly onTaken: (name: string) => void;
  readonly log: Log;
}

/** How long our part of a list of tools may take. */
const PATIENCE_MS = 1000;

/** Callers remembered on one connection. */
const MOST = 64;

export class Parties {
  readonly #parties = new Map<string, Party>();
  readonly #questions: Questions;
  readonly #options: RelayOptions;
  readonly #onChange: () => void;

  constructor(questions: Questions, options: RelayOptions, onChange: () => void) {
    this.#questions = questions;
    this.#options = options;
    this.#onChange = onChange;
  }

  /** Whether a name may be that of one of our tools. */
  isOurs(name: unknown): boolean {
    return typeof name === 'string' && TOOL_NAMES.includes(name) && this.#options.tools[name] !== false;
  }

  contextOf(occasion: Occasion, cancellation: Cancellation): ReadContext {
    const { extra } = occasion;
    const authInfo = extra?.authInfo;
    const overHttp = authInfo !== undefined || (extra !== undefined && ('request' in extra || 'requestInfo' in extra));
    const caller = callerOf(this.#options.identity, overHttp ? { authInfo } : undefined);
    const { inputResponses, requestState } = occasion.request.params ?? {};
    const alone = inputResponses !== undefined || requestState !== undefined;
    return new Context({ caller, authInfo, road: 'tool', alone, request: occasion }, cancellation);
  }

  of({ caller, authInfo }: ReadContext): Party {
    // The server knows the token, whatever identity is configured: what it shows to one must not be shown to another.
    const key = authInfo?.token ?? caller.id;
    let party = this.#parties.get(key);
    if (party === undefined) {
      party = new Party(this.#questions, this.#options, this.#onChange);
      this.#parties.set(key, party);
      const [oldest] = this.#parties.keys();
      if (this.#parties.size > MOST && oldest !== undefined) {
        this.#parties.get(oldest)?.close();
        this.#parties.delete(oldest);
      }
    }
    return party;
  }

  forgetTools(): void {
    for (const party of this.#parties.values()) party.forgetTools();
  }

  close(): void {
    for (const party of this.#parties.values()) party.close();
    this.#parties.clear();
  }
}

/** What one caller sees. */
class Party {
  readonly catalog: Promise<Catalog>;
  readonly #questions: Questions;
  readonly #options: RelayOptions;
  readonly #onChange: () => void;
  #taken: Promise<ReadonlySet<string>> | undefined;
  #opened: Catalog | undefined;
  #names: ReadonlySet<string> | undefined;

  constructor(questions: Questions, options: RelayOptions, onChange: () => void) {
    this.#questions = questions;
    this.#options = options;
    this.#onChange = onChange;
    const { rules, guard, limits, log, sources } = options;
    const server = serverSource({ channel: questions, rules, ...(guard === undefined ? {} : { guard }) });
    this.catalog = Catalog.open([server, ...sources.map((make) => make())], { limits, log });
    this.catalog.then(
      (catalog) => {
        this.#opened = catalog;
      },
      (cause: unknown) => log.warn(`Our tools cannot work: ${String(cause)}`),
    );
    if (sources.length > 0)
      this.catalog
        .then((catalog) => catalog.onChange(({ previous, snapshot }) => previous.skills !== snapshot.skills && onChange()))
        .catch(() => {});
  }

  /** The catalog, once it is open. */
  get opened(): Catalog | undefined {
    return this.#opened;
  }

  /** The names that the server uses itself, once they are known. */
  get names(): ReadonlySet<string> | undefined {
    return this.#names;
  }

  /** Our tools as this caller sees them, those whose name the server uses too among them. */
  async ownTools(context: ReadContext): Promise<readonly Tool[]> {
    const catalog = await this.catalog;
    // A host that waits for its tools asks its model without them: what the server has to say of its resources may come later.
    const look = catalog.introspect(context).then(
      () => true,
      (cause: unknown) => {
        this.#options.log.debug(`lists: ${String(cause)}`);
        return true;
      },
    );
    const inTime = await Promise.race([look, setTimeout(PATIENCE_MS, false, { ref: false })]);
    if (!inTime) look.then(this.#onChange);
    return listTools(catalog.snapshot, this.choice(catalog));
  }

  /** Tools for what there is: none for skills where no skills were asked for, none for resources where the server has none. */
  choice(catalog: Catalog): ToolChoice {
    const { sources, tools } = this.#options;
    const noSkills = sources.length === 0 ? { skill: false, list_skills: false, get_skill: false } : {};
    const noResources = catalog.isReadable ? {} : { get_resource: false, get_resources: false };
    return { ...noSkills, ...noResources, ...tools };
  }

  /** The names that the server uses itself. */
  taken(context: ReadContext): Promise<ReadonlySet<string>> {
    if (this.#taken === undefined) {
      this.#taken = this.#listNames(context);
      this.#taken.then(
        (names) => this.remember(names),
        () => this.forgetTools(),
      );
    }
    return this.#taken;
  }

  remember(names: ReadonlySet<string>): void {
    this.#taken = Promise.resolve(names);
    this.#names = names;
    for (const name of TOOL_NAMES) if (names.has(name) && this.#options.tools[name] !== false) this.#options.onTaken(name);
  }

  forgetTools(): void {
    this.#taken = undefined;
    this.#names = undefined;
  }

  /** Counts what went by the other road. */
  observe(uri: string, milliseconds: number, answer: Answer): void {
    const contents = 'error' in answer ? undefined : answer.result['contents'];
    const read = Array.isArray(contents) ? contents.filter(isContents) : undefined;
    this.catalog.then((catalog) => catalog.observe(uri, milliseconds, read)).catch(() => {});
  }

  close(): void {
    this.catalog.then((catalog) => catalog.close()).catch(() => {});
  }

  async #listNames(context: ReadContext): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    let cursor: unknown;
    do {
      const params = cursor === undefined ? {} : { cursor };
      const result = await this.#questions.request('tools/list', params, context).catch((cause: unknown) => {
        if (cause instanceof ServerError) return {};
        throw cause;
      });
      const { tools, nextCursor } = { tools: undefined, nextCursor: undefined, ...result };
      for (const name of namesOf(Array.isArray(tools) ? tools : [])) names.add(name);
      cursor = nextCursor;
    } while (typeof cursor === 'string');
    return names;
  }
}

function isContents(value: unknown): value is ResourceContents {
  return isFields(value) && (typeof value['text'] === 'string' || typeof value['blob'] === 'string');
}
