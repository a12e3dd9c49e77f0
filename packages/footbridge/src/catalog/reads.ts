/** The one way to content: finds what a URI means, has it read within the limits, counts it. */
import type { CacheHint } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../errors.js';
import type { Log } from '../log.js';
import { Context, cancellationOf } from '../sources/context.js';
import {
  Interruption,
  type ReadContext,
  type ResourceContents,
  type ResourceReading,
  type ResourceTraits,
  type Road,
  type StaticResource,
  type TemplateResource,
} from '../sources/resource.js';
import type { Contribution, Skill, Source } from '../sources/source.js';
import { decodeText } from '../text.js';
import { normalizeUri } from '../uri-template.js';
import { incomplete, invalidUri, noSuchFile, notFound } from './complaint.js';
import { Executions } from './execution.js';
import { toFailure } from './failure.js';
import { parseSkillUri, pathKey, skillUri } from './skill-uri.js';
import type { Snapshot } from './snapshot.js';

/** Content under its canonical URI, and what is known of the resource. */
export interface Reading {
  readonly contents: readonly ResourceContents[];
  readonly _meta: Readonly<Record<string, unknown>> | undefined;
  readonly uri: string;
  /** The resource's name for people. */
  readonly name: string;
  /** The type that the resource declares; its contents may have their own. */
  readonly mimeType: string | undefined;
  /** Whether the URI is in the list, or follows a template. */
  readonly kind: Kind;
  readonly cacheHint: CacheHint | undefined;
  /** When the content was read. */
  readonly at: Date;
}

type Kind = 'static' | 'template';

/** What went by one road to one kind of resource. */
export interface Count {
  readonly reads: number;
  readonly failures: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

export type Counters = Readonly<Record<Road, Readonly<Record<Kind, Count>>>>;

/** Defaults for resources that say nothing themselves. */
export interface ReadLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export const DEFAULT_LIMITS: ReadLimits = { timeoutMs: 10_000, maxBytes: 16 * 1024 * 1024 };

/** What there is to read from, at the moment. */
interface Shelf {
  snapshot(): Snapshot;
  contributions(): Iterable<Contribution>;
  /** Has sources that are asked each time look again. */
  introspect(context: ReadContext): Promise<void>;
}

type Target =
  | { readonly kind: 'skill'; readonly skill: Skill; readonly path: string }
  | { readonly kind: 'static'; readonly resource: StaticResource }
  | { readonly kind: 'template'; readonly resource: TemplateResource; readonly variables: Readonly<Record<string, string>> };

/** Folders and name of a skill; longer paths are not looked for, however many segments a caller sends. */
const DEEPEST = 32;

interface Executed {
  readonly reading: ResourceReading | undefined;
  readonly size: number;
  readonly at: Date;
}

export class Reads {
  readonly #executions = new Executions<Executed>((executed) => executed.size);
  readonly #shelf: Shelf;
  readonly #limits: ReadLimits;
  readonly #log: Log;
  readonly #counters = { tool: noneYet(), resource: noneYet() };

  constructor(shelf: Shelf, limits: ReadLimits, log: Log) {
    this.#shelf = shelf;
    this.#limits = limits;
    this.#log = log;
  }

  /** As they are now. */
  get counters(): Counters {
    return structuredClone(this.#counters);
  }

  /** Drops what is kept of a URI, or everything. */
  forget(uri?: string): void {
    this.#executions.forget(uri);
  }

  async read(uri: string, context: ReadContext): Promise<Reading> {
    const begin = performance.now();
    try {
      const reading = await this.#read(uri, context);
      this.#count(uri, context.road, reading.kind, performance.now() - begin, sizeOf(reading.contents));
      return reading;
    } catch (cause) {
      this.#count(uri, context.road, this.#kindOf(uri), performance.now() - begin, undefined);
      throw cause;
    }
  }

  /** Has sources look again. */
  async look(sources: readonly Source[], context: ReadContext): Promise<void> {
    const signal = AbortSignal.any([context.signal, AbortSignal.timeout(this.#limits.timeoutMs)]);
    const { caller, authInfo, request } = context;
    try {
      await Promise.all(sources.map((source) => source.refresh({ caller, authInfo, request, signal })));
    } catch (cause) {
      const { code, details, suggestedActions, retryable } = toFailure(cause, '');
      const options = { ...(details === undefined ? {} : { details }), suggestedActions, retryable };
      throw new FootbridgeError(code, 'The list of resources could not be read.', options);
    }
  }

  /** Counts a read that went by without us; no contents when it failed. */
  observe(uri: string, milliseconds: number, contents: readonly ResourceContents[] | undefined): void {
    this.#count(uri, 'resource', this.#kindOf(uri), milliseconds, contents === undefined ? undefined : sizeOf(contents));
  }

  #kindOf(uri: string): Kind {
    return findTarget(this.#shelf.snapshot(), uri)?.kind === 'static' ? 'static' : 'template';
  }

  #read(uri: string, context: ReadContext): Promise<Reading> {
    const target = findTarget(this.#shelf.snapshot(), uri);
    if (target === undefined) return this.#readUnlisted(uri, context);
    if (target.kind === 'skill') return readSkillFile(target.skill, target.path, uri);
    return this.#readResource(target, uri, context);
  }

  async #readResource(target: Exclude<Target, { kind: 'skill' }>, uri: string, context: ReadContext): Promise<Reading> {
    const { resource } = target;
    resource.authorize?.(uri, context.caller);
    try {
      const work = (inner: ReadContext) =>
        target.kind === 'static' ? target.resource.read(uri, inner) : target.resource.read(uri, target.variables, inner);
      const { reading, at } = await this.#execute(uri, resource, work, context);
      if (reading !== undefined) return describe(reading, at, target, uri);
    } catch (cause) {
      if (!isNotFound(cause)) throw cause;
      throw await notFound(uri, target.kind === 'template' ? target : undefined, context, cause);
    }
    throw await notFound(uri, target.kind === 'template' ? target : undefined, context);
  }

  /** A source that is asked each time may have what no list shows. */
  async #readUnlisted(uri: string, context: ReadContext): Promise<Reading> {
    let said: FootbridgeError | undefined;
    for (const { readUnlisted } of this.#shelf.contributions()) {
      if (readUnlisted === undefined) continue;
      try {
        const { reading, at } = await this.#execute(uri, {}, (inner) => readUnlisted(uri, inner), context);
        if (reading === undefined) continue;
        await this.#introspect(context);
        return describe(reading, at, findTarget(this.#shelf.snapshot(), uri), uri);
      } catch (cause) {
        if (!isNotFound(cause)) throw cause;
        said ??= cause;
      }
    }
    await this.#introspect(context);
    const snapshot = this.#shelf.snapshot();
    const target = findTarget(snapshot, uri);
    if (target !== undefined && target.kind !== 'skill')
      throw await notFound(uri, target.kind === 'template' ? target : undefined, context, said);
    const part = snapshot.templateIndex.findIncomplete(uri);
    if (part === undefined) throw invalidUri(snapshot, uri, said?.details);
    part.value.authorize?.(uri, context.caller);
    throw await incomplete(part.value, part.missing, context);
  }

  /** Names and near matches are good to have: that they cannot be had changes nothing about the read. */
  async #introspect(context: ReadContext): Promise<void> {
    await this.#shelf.introspect(context).catch((cause: unknown) => this.#log.debug(`lists: ${String(cause)}`));
  }

  #execute(
    uri: string,
    { timeoutMs = this.#limits.timeoutMs, maxBytes = this.#limits.maxBytes, cacheHint }: Policy,
    work: (context: ReadContext) => Promise<ResourceReading | undefined>,
    context: ReadContext,
  ): Promise<Executed> {
    return this.#executions.run(
      { uri: normalizeUri(uri), callerId: context.caller.id, timeoutMs, cacheHint },
      async (cancellation) => {
        try {
          const reading = await work(new Context(context, cancellation));
          const size = reading === undefined ? 0 : sizeOf(reading.contents);
          if (size > maxBytes) throw tooLarge(uri, size, maxBytes);
          return { reading, size, at: new Date() };
        } catch (cause) {
          throw cause instanceof Interruption ? cause : toFailure(cause, uri);
        }
      },
      cancellationOf(context),
    );
  }

  #count(uri: string, road: Road = 'resource', kind: Kind, milliseconds: number, bytes: number | undefined): void {
    const count = this.#counters[road][kind];
    count.reads++;
    count.failures += bytes === undefined ? 1 : 0;
    count.bytes += bytes ?? 0;
    count.milliseconds += milliseconds;
    if (this.#log.debugs === false) return;
    const outcome = bytes === undefined ? 'failed' : `${bytes} bytes`;
    this.#log.debug(`read by ${road}, ${kind}: ${echo(uri)}, ${outcome}, ${milliseconds.toFixed(2)} ms`);
  }
}

type Policy = Pick<ResourceTraits, 'timeoutMs' | 'maxBytes' | 'cacheHint'>;
type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

const noneYet = () => ({ static: zero(), template: zero() });
const zero = (): Writable<Count> => ({ reads: 0, failures: 0, bytes: 0, milliseconds: 0 });

/** What a URI means: a URI of the list first, then a file of a skill, then the most specific template. */
function findTarget(snapshot: Snapshot, uri: string): Target | undefined {
  const resource = snapshot.findResource(uri);
  if (resource !== undefined) return { kind: 'static', resource };
  const skillFile = findSkillFile(snapshot, uri);
  if (skillFile !== undefined) return { kind: 'skill', ...skillFile };
  const found = snapshot.templateIndex.find(uri);
  return found === undefined ? undefined : { kind: 'template', resource: found.value, variables: found.variables };
}

/** The skill whose folder a URI lies in, and the path below it. */
export function findSkillFile(snapshot: Snapshot, uri: string): { skill: Skill; path: string } | undefined {
  const segments = parseSkillUri(uri) ?? [];
  for (let end = Math.min(segments.length, DEEPEST); end > 0; end--) {
    const skill = snapshot.byPath.get(pathKey(segments.slice(0, end)));
    if (skill !== undefined) return { skill, path: segments.slice(end).join('/') };
  }
  return undefined;
}

async function readSkillFile(skill: Skill, path: string, uri: string): Promise<Reading> {
  const content = path === '' ? undefined : await skill.read(path);
  if (content === undefined) throw await noSuchFile(uri, skill, path);
  const canonical = skillUri(skill, path);
  const { bytes, mimeType } = content;
  const text = decodeText(bytes);
  const contents: ResourceContents =
    text === undefined
      ? { uri: canonical, mimeType, blob: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') }
      : { uri: canonical, mimeType, text };
  const isSkill = canonical === skillUri(skill);
  return {
    contents: [contents],
    _meta: undefined,
    uri: canonical,
    name: isSkill ? skill.name : `${skill.name}: ${path}`,
    mimeType,
    kind: isSkill ? 'static' : 'template',
    cacheHint: undefined,
    at: new Date(),
  };
}

function describe({ contents, _meta }: ResourceReading, at: Date, target: Target | undefined, uri: string): Reading {
  const resource = target === undefined || target.kind === 'skill' ? undefined : target.resource;
  return {
    contents,
    _meta,
    uri: contents.length === 1 ? (contents[0]?.uri ?? uri) : uri,
    name: resource?.entry.title ?? resource?.entry.name ?? uri,
    mimeType: resource?.entry.mimeType,
    kind: target?.kind === 'static' ? 'static' : 'template',
    cacheHint: resource?.cacheHint,
    at,
  };
}

function isNotFound(cause: unknown): cause is FootbridgeError {
  return cause instanceof FootbridgeError && cause.code === 'NotFound';
}

/** Bytes of the content itself: of a text in UTF-8, of a blob before base64. */
function sizeOf(contents: readonly ResourceContents[]): number {
  return contents.reduce((sum, each) => sum + ('text' in each ? Buffer.byteLength(each.text) : Buffer.byteLength(each.blob, 'base64')), 0);
}

function tooLarge(uri: string, size: number, maxBytes: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Failed to retrieve resource '${echo(uri)}'.`, {
    details: `It has ${size} bytes; ${maxBytes} are the most that is carried.`,
    suggestedActions: ['Look for a resource that has a part of it.', 'Ask whoever runs the server to split it, or to raise the limit.'],
  });
}
