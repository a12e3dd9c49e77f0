/** Reads any URI: finds its resource, reads it within the limits, counts the read. */
import { setTimeout } from 'node:timers/promises';
import { echo, FootbridgeError } from '../errors.js';
import type { Fields } from '../json.js';
import type { ReadLimits } from '../limits.js';
import type { Log } from '../log.js';
import { adopt, Context, within } from '../sources/context.js';
import { type Forwarded, forwardRead, ownerNamed, readForwarded } from '../sources/forwarding.js';
import {
  InputRequired,
  type InternalReadContext,
  type ReadContext,
  type ResourceContents,
  type ResourceReading,
  type ResourceTraits,
} from '../sources/resource.js';
import { contentsOf, ServerError, saysNotFound } from '../sources/server/channel.js';
import { orNotFound } from '../sources/server/entries.js';
import { skillUri } from '../sources/skill-uri.js';
import { type InternalContribution, SKILL_FILE, type Skill, type SkillFileContent, type Source } from '../sources/source.js';
import type { Counters, ReadCounters, ResourceKind } from './counters.js';
import { Executions } from './execution.js';
import { toFailure } from './failure.js';
import { incomplete, invalidUri, type NearMatches, noSuchFile, notFound } from './not-found.js';
import { contentBytes, type Executed, hasContents, type Reading, readSkillFile, toReading } from './reading.js';
import type { Snapshot } from './snapshot.js';
import { asListed, findTarget, type Target } from './target.js';

/** The parts of the catalog that reads depend on. */
interface ReadableCatalog extends NearMatches {
  snapshot(): Snapshot;
  contributions(): Iterable<InternalContribution>;
  /** Refreshes sources that are asked each time. */
  introspect(context: ReadContext): Promise<void>;
}

/** How long content that was read waits for the resource's name. */
const NAME_TIMEOUT_MS = 100;

type ResourceTarget = Exclude<Target, { kind: 'skill' }>;
/** How a source or an upstream reports that it has no such resource. */
type NoSuchResource = FootbridgeError | ServerError;

export class Reads {
  readonly #executions = new Executions<ResourceReading | undefined, Executed>(({ bytes }) => bytes);
  readonly #catalog: ReadableCatalog;
  readonly #limits: ReadLimits;
  readonly #log: Log;
  readonly #counters: ReadCounters;
  #alone = 0;

  constructor(catalog: ReadableCatalog, limits: ReadLimits, counters: ReadCounters, log: Log) {
    this.#catalog = catalog;
    this.#limits = limits;
    this.#log = log;
    this.#counters = counters;
  }

  get counters(): Counters {
    return this.#counters.now;
  }

  /** Drops what is cached of a URI, or everything. */
  forget(uri?: string): void {
    this.#executions.forget(uri);
  }

  /**
   * Reads any URI. `params` are those of `resources/read`: an upstream is given them unchanged, and its answer and its errors
   * come back unchanged.
   */
  async read(uri: string, given: ReadContext, params?: Fields): Promise<Reading> {
    const begin = performance.now();
    const { context, release } = adopt(given);
    const { route } = context;
    try {
      const target = findTarget(this.#catalog.snapshot(), uri);
      const reading =
        target === undefined || this.#mayBeAnother(target, uri)
          ? await this.#readUnlisted(uri, context, params)
          : target.kind === 'skill'
            ? await readSkillFile(target.skill, target.path, uri, context)
            : await this.#readAsListed(target, uri, context, params);
      const bytes = hasContents(reading) ? reading.bytes : undefined;
      this.#counters.add({ uri: () => uri, route, kind: reading.kind, milliseconds: performance.now() - begin, bytes });
      return reading;
    } catch (cause) {
      this.#counters.add({ uri: () => uri, route, kind: this.#kindOf(uri), milliseconds: performance.now() - begin, bytes: undefined });
      throw cause;
    } finally {
      release();
    }
  }

  /** The instructions of a skill: what `read` gives for its URI, without parsing the URI and decoding the text. */
  async readSkill(skill: Skill, context: InternalReadContext): Promise<SkillFileContent> {
    const begin = performance.now();
    let bytes: number | undefined;
    try {
      const content = await skill.read(SKILL_FILE, context);
      if (content === undefined) throw await noSuchFile(skillUri(skill), skill, SKILL_FILE);
      bytes = content.bytes.length;
      return content;
    } catch (cause) {
      throw toFailure(cause, skillUri(skill));
    } finally {
      const uri = () => skillUri(skill);
      this.#counters.add({ uri, route: context.route, kind: 'static', milliseconds: performance.now() - begin, bytes });
    }
  }

  /** Refreshes sources, within the timeout of a read. */
  async look(sources: readonly Source[], given: ReadContext): Promise<void> {
    try {
      await within(this.#limits.timeoutMs, given, (context) => Promise.all(sources.map((source) => source.refresh?.(context))));
    } catch (cause) {
      const { code, details, suggestedActions, retryable } = toFailure(cause, '');
      throw new FootbridgeError(code, 'The list of resources could not be read.', { details, suggestedActions, retryable });
    }
  }

  /** Counts a read that did not pass through the catalog. `contents` is undefined if it failed. */
  observe(uri: string, milliseconds: number, contents: readonly ResourceContents[] | undefined): void {
    const bytes = contents === undefined ? undefined : contentBytes(contents);
    this.#counters.add({ uri: () => uri, route: 'resource', kind: this.#kindOf(uri), milliseconds, bytes });
  }

  #kindOf(uri: string): ResourceKind {
    return findTarget(this.#catalog.snapshot(), uri)?.kind === 'static' ? 'static' : 'template';
  }

  /** Whether an author's server may have exactly this URI, besides a listed one that differs in case. */
  #mayBeAnother(target: Target, uri: string): boolean {
    if (asListed(target, uri) === uri) return false;
    for (const { readUnlisted } of this.#catalog.contributions()) if (readUnlisted !== undefined) return true;
    return false;
  }

  /** The resource's own server may compare scheme and host letter by letter. */
  #readAsListed(target: ResourceTarget, uri: string, context: Context, params: Fields | undefined): Promise<Reading> {
    const listed = asListed(target, uri);
    return this.#readListed(target, listed, context, params === undefined || listed === uri ? params : { ...params, uri: listed });
  }

  #readListed(target: ResourceTarget, uri: string, context: Context, params: Fields | undefined): Promise<Reading> {
    const { resource } = target;
    resource.authorize?.(uri, context.caller);
    if (params !== undefined && resource.forwarded !== undefined)
      return forward(resource.forwarded, uri, params, context).then((executed) => toReading(executed, target, uri));
    const isMissing = (reason?: FootbridgeError) =>
      notFound(uri, target.kind === 'template' ? target : undefined, context, reason).then((error) => Promise.reject(error));
    return this.#execute(uri, resource, (inner) => readTarget(target, uri, inner), context).then(
      (executed) => {
        // An upstream's answer was admitted when it arrived.
        const room = resource.forwarded === undefined ? context.admit?.(executed.bytes) : undefined;
        if (executed.reading === undefined) return isMissing();
        return room === undefined ? toReading(executed, target, uri) : room.then(() => toReading(executed, target, uri));
      },
      (cause: unknown) => {
        if (!(cause instanceof FootbridgeError) || cause.code !== 'NotFound') throw cause;
        return isMissing(cause);
      },
    );
  }

  /**
   * Reads an unlisted URI. Each source and upstream that may have it is asked in turn, the next one only after a "not found".
   */
  async #readUnlisted(uri: string, context: Context, params: Fields | undefined): Promise<Reading> {
    let reason: NoSuchResource | undefined;
    for (const ask of this.#mayHave(uri, context, params)) {
      try {
        const executed = await ask();
        if (executed.reading === undefined) continue;
        // The name is optional. It does not delay the content for long.
        if (params === undefined) await Promise.race([this.#introspect(context), setTimeout(NAME_TIMEOUT_MS, undefined, { ref: false })]);
        return toReading(executed, findTarget(this.#catalog.snapshot(), uri), uri);
      } catch (cause) {
        if (!isNoSuchResource(cause)) throw cause;
        reason ??= cause;
      }
    }
    // The only upstream answers for itself.
    if (reason instanceof ServerError && this.#catalog.snapshot().upstreams.length === 1) throw reason;
    await this.#introspect(context);
    const snapshot = this.#catalog.snapshot();
    const target = findTarget(snapshot, uri);
    const known = reason instanceof ServerError ? toFailure(orNotFound(uri, reason), uri) : reason;
    if (target !== undefined && target.kind !== 'skill' && asListed(target, uri) !== uri)
      return this.#readAsListed(target, uri, context, params);
    if (target !== undefined && target.kind !== 'skill')
      throw await notFound(uri, target.kind === 'template' ? target : undefined, context, known);
    const part = snapshot.templateIndex.findIncomplete(uri);
    if (part === undefined) throw await invalidUri(snapshot, uri, this.#catalog, known?.details);
    part.value.authorize?.(uri, context.caller);
    throw await incomplete(part.value, part.missing, context);
  }

  /** Everything that may have a URI without listing it, in order. */
  *#mayHave(uri: string, context: Context, params: Fields | undefined): Generator<() => Promise<Executed>> {
    for (const { readUnlisted } of this.#catalog.contributions())
      if (readUnlisted !== undefined) yield () => this.#execute(uri, {}, (inner) => readUnlisted(uri, inner), context);
    const { templateIndex, upstreams } = this.#catalog.snapshot();
    if (upstreams.length === 0) return;
    // A URI that lacks a variable of a template of our own is not an upstream's.
    const part = templateIndex.findIncomplete(uri);
    if (part !== undefined && part.value.forwarded === undefined) return;
    for (const forwarded of ownerNamed(upstreams, uri)) {
      if (!forwarded.upstream.readsUnlisted) continue;
      yield () =>
        params === undefined
          ? this.#execute(uri, {}, (inner) => readForwarded(forwarded, uri, inner), context)
          : forward(forwarded, uri, params, context);
    }
  }

  /** Lists give names and near matches; a failure to get them does not fail the read. */
  async #introspect(context: ReadContext): Promise<void> {
    await this.#catalog.introspect(context).catch((cause: unknown) => this.#log.debug(`lists: ${String(cause)}`));
  }

  #execute(
    uri: string,
    {
      timeoutMs = this.#limits.timeoutMs,
      maxBytes = this.#limits.maxBytes,
      cacheHint,
    }: Pick<ResourceTraits, 'timeoutMs' | 'maxBytes' | 'cacheHint'>,
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
          const bytes = reading === undefined ? 0 : contentBytes(reading.contents);
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

/** Forwards `resources/read` unchanged, without limits of Footbridge. */
async function forward(forwarded: Forwarded, uri: string, params: Fields, context: ReadContext): Promise<Executed> {
  const result = await forwardRead(forwarded, uri, params, context);
  const contents = contentsOf(result) ?? [];
  return { reading: { contents }, bytes: contentBytes(contents), at: new Date(), result };
}

function isNoSuchResource(cause: unknown): cause is NoSuchResource {
  return cause instanceof FootbridgeError ? cause.code === 'NotFound' : saysNotFound(cause);
}

function tooLarge(uri: string, size: number, maxBytes: number): FootbridgeError {
  return new FootbridgeError('ResourceExecutionError', `Failed to retrieve resource '${echo(uri)}'.`, {
    details: `It has ${size} bytes; the limit is ${maxBytes}.`,
    suggestedActions: ['Look for a resource that has a part of it.', "Ask the server's operator to split it, or to raise the limit."],
  });
}
