/** The one way to content: finds what a URI means, has it read within the limits, counts it. */
import { setTimeout } from 'node:timers/promises';
import type { CacheHint } from '@modelcontextprotocol/server';
import { echo, FootbridgeError } from '../errors.js';
import type { ReadLimits } from '../limits.js';
import type { Log } from '../log.js';
import { adopt, Context, within } from '../sources/context.js';
import { InputRequired, type ReadContext, type ResourceContents, type ResourceReading, type ResourceTraits } from '../sources/resource.js';
import type { Contribution, Skill, SkillFileContent, Source } from '../sources/source.js';
import { decodeText } from '../text.js';
import { incomplete, invalidUri, noSuchFile, notFound } from './complaint.js';
import type { Counters, Kind, ReadCounters } from './counters.js';
import { Executions } from './execution.js';
import { toFailure } from './failure.js';
import { skillUri } from './skill-uri.js';
import type { Snapshot } from './snapshot.js';
import { findTarget, type Target } from './target.js';

/** Content under its canonical URI, and what is known of the resource. */
export interface Reading {
  readonly contents: readonly ResourceContents[];
  readonly _meta: Readonly<Record<string, unknown>> | undefined;
  /** As of `ResourceReading`. */
  readonly isWritten?: boolean | undefined;
  readonly uri: string;
  /** The resource's name for people. */
  readonly name: string;
  /** The type that the resource declares; its contents may have their own. */
  readonly mimeType: string | undefined;
  /** Whether the URI is in the list, or follows a template. */
  readonly kind: Kind;
  readonly cacheHint: CacheHint | undefined;
  /** Bytes of the content itself: of texts in UTF-8, of blobs before base64. */
  readonly bytes: number;
  /** When the content was read. */
  readonly at: Date;
}

/** What there is to read from, at the moment. */
interface Shelf {
  snapshot(): Snapshot;
  contributions(): Iterable<Contribution>;
  /** Has sources that are asked each time look again. */
  introspect(context: ReadContext): Promise<void>;
}

/** How long what is there already waits for its name. */
const PATIENCE_MS = 100;

interface Executed {
  readonly reading: ResourceReading | undefined;
  readonly bytes: number;
  readonly at: Date;
}

export class Reads {
  readonly #executions = new Executions<ResourceReading | undefined, Executed>(({ bytes }) => bytes);
  readonly #shelf: Shelf;
  readonly #limits: ReadLimits;
  readonly #log: Log;
  readonly #counters: ReadCounters;
  #alone = 0;

  constructor(shelf: Shelf, limits: ReadLimits, counters: ReadCounters, log: Log) {
    this.#shelf = shelf;
    this.#limits = limits;
    this.#log = log;
    this.#counters = counters;
  }

  get counters(): Counters {
    return this.#counters.now;
  }

  /** Drops what is kept of a URI, or everything. */
  forget(uri?: string): void {
    this.#executions.forget(uri);
  }

  async read(uri: string, given: ReadContext): Promise<Reading> {
    const begin = performance.now();
    const { context, release } = adopt(given);
    const { route } = context;
    const target = findTarget(this.#shelf.snapshot(), uri);
    try {
      let reading: Reading | undefined;
      if (target === undefined) reading = await this.#readUnlisted(uri, context);
      else if (target.kind === 'skill') reading = await readSkillFile(target.skill, target.path, uri, context);
      else {
        target.resource.authorize?.(uri, context.caller);
        let said: FootbridgeError | undefined;
        try {
          const executed = await this.#execute(uri, target.resource, (inner) => readTarget(target, uri, inner), context);
          if (executed.reading !== undefined) reading = describe(executed.reading, executed, target, uri);
        } catch (cause) {
          if (!isNotFound(cause)) throw cause;
          said = cause;
        }
        if (reading === undefined) throw await notFound(uri, target.kind === 'template' ? target : undefined, context, said);
      }
      this.#counters.add({ uri, route, kind: reading.kind, milliseconds: performance.now() - begin, bytes: reading.bytes });
      return reading;
    } catch (cause) {
      this.#counters.add({ uri, route, kind: this.#kindOf(uri), milliseconds: performance.now() - begin, bytes: undefined });
      throw cause;
    } finally {
      release();
    }
  }

  /** Has sources look again, within the time of a read. */
  async look(sources: readonly Source[], given: ReadContext): Promise<void> {
    try {
      await within(this.#limits.timeoutMs, given, (context) => Promise.all(sources.map((source) => source.refresh(context))));
    } catch (cause) {
      const { code, details, suggestedActions, retryable } = toFailure(cause, '');
      const options = { details, suggestedActions, retryable };
      throw new FootbridgeError(code, 'The list of resources could not be read.', options);
    }
  }

  /** Counts a read that went by without us; no contents when it failed. */
  observe(uri: string, milliseconds: number, contents: readonly ResourceContents[] | undefined): void {
    const bytes = contents === undefined ? undefined : sizeOf(contents);
    this.#counters.add({ uri, route: 'resource', kind: this.#kindOf(uri), milliseconds, bytes });
  }

  #kindOf(uri: string): Kind {
    return findTarget(this.#shelf.snapshot(), uri)?.kind === 'static' ? 'static' : 'template';
  }

  /** A source that is asked each time may have what no list shows. */
  async #readUnlisted(uri: string, context: Context): Promise<Reading> {
    let said: FootbridgeError | undefined;
    for (const { readUnlisted } of this.#shelf.contributions()) {
      if (readUnlisted === undefined) continue;
      try {
        const executed = await this.#execute(uri, {}, (inner) => readUnlisted(uri, inner), context);
        if (executed.reading === undefined) continue;
        // The name is good to have; the content is not kept waiting for it.
        await Promise.race([this.#introspect(context), setTimeout(PATIENCE_MS, undefined, { ref: false })]);
        return describe(executed.reading, executed, findTarget(this.#shelf.snapshot(), uri), uri);
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
    context: Context,
  ): Promise<Executed> {
    const callerId = context.alone === true ? `${context.caller.id} alone ${++this.#alone}` : context.caller.id;
    return this.#executions.run(
      {
        uri,
        callerId,
        timeoutMs,
        cacheHint,
        work: (cancellation) => work(new Context(context, cancellation)),
        finish(reading) {
          const bytes = reading === undefined ? 0 : sizeOf(reading.contents);
          if (bytes > maxBytes) throw tooLarge(uri, bytes, maxBytes);
          return { reading, bytes, at: new Date() };
        },
        fail: (cause) => (cause instanceof InputRequired ? cause : toFailure(cause, uri)),
      },
      context.cancellation,
    );
  }
}

function readTarget(target: ResourceTarget, uri: string, context: ReadContext): Promise<ResourceReading | undefined> {
  return target.kind === 'static' ? target.resource.read(uri, context) : target.resource.read(uri, target.variables, context);
}

type ResourceTarget = Exclude<Target, { kind: 'skill' }>;
type Policy = Pick<ResourceTraits, 'timeoutMs' | 'maxBytes' | 'cacheHint'>;

/** A file of a skill; undefined when there is none. Throws an error of ours when it cannot be read. */
export async function skillFile(skill: Skill, path: string, uri: string, context: ReadContext): Promise<SkillFileContent | undefined> {
  try {
    return await skill.read(path, context);
  } catch (cause) {
    throw toFailure(cause, uri);
  }
}

async function readSkillFile(skill: Skill, path: string, uri: string, context: ReadContext): Promise<Reading> {
  const content = path === '' ? undefined : await skillFile(skill, path, uri, context);
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
    bytes: bytes.length,
    at: new Date(),
  };
}

function describe(
  { contents, isWritten, _meta }: ResourceReading,
  { bytes, at }: Executed,
  target: Target | undefined,
  uri: string,
): Reading {
  const resource = target === undefined || target.kind === 'skill' ? undefined : target.resource;
  return {
    contents,
    _meta,
    isWritten,
    uri: contents.length === 1 ? (contents[0]?.uri ?? uri) : uri,
    name: resource?.entry.title ?? resource?.entry.name ?? uri,
    mimeType: resource?.entry.mimeType,
    kind: target?.kind === 'static' ? 'static' : 'template',
    cacheHint: resource?.cacheHint,
    bytes,
    at,
  };
}

function isNotFound(cause: unknown): cause is FootbridgeError {
  return cause instanceof FootbridgeError && cause.code === 'NotFound';
}

function sizeOf(contents: readonly ResourceContents[]): number {
  return contents.reduce((sum, each) => sum + ('text' in each ? Buffer.byteLength(each.text) : Buffer.byteLength(each.blob, 'base64')), 0);
}

function tooLarge(uri: string, size: number, maxBytes: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Failed to retrieve resource '${echo(uri)}'.`, {
    details: `It has ${size} bytes; ${maxBytes} are the most that is carried.`,
    suggestedActions: ['Look for a resource that has a part of it.', 'Ask whoever runs the server to split it, or to raise the limit.'],
  });
}
