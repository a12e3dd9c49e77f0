/** The surface `passthrough`: requests about what a server behind us has, carried over and back as they are. */
import { setTimeout } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.js';
import type { Snapshot } from '../catalog/snapshot.js';
import { findTarget } from '../catalog/target.js';
import type { Fields } from '../json.js';
import type { Forwarded, Upstream } from '../sources/forwarding.js';
import type { Caller, ReadContext, ResourceTraits } from '../sources/resource.js';
import { orProtocolError } from './resources.js';

/** A host that waits much longer for its tools asks its model without any. */
const PATIENCE_MS = 1000;

/**
 * Waits until servers behind us have said what they have: as long as it takes for the only one, briefly for several.
 * Undefined when there is nothing to wait for.
 */
export function listsOf(upstreams: readonly Upstream[]): Promise<unknown> | undefined {
  const alone = upstreams.length === 1;
  const waiting = upstreams.filter((upstream) => !upstream.isListed && (alone || !slow.has(upstream)));
  if (waiting.length === 0) return undefined;
  const listed = Promise.all(waiting.map((upstream) => upstream.listed()));
  if (alone) return listed;
  const late = setTimeout(PATIENCE_MS, undefined, { ref: false }).then(() => {
    for (const upstream of waiting) if (!upstream.isListed) slow.add(upstream);
  });
  return Promise.race([listed, late]);
}

/** Servers that were waited for in vain: once is enough. */
const slow = new WeakSet<Upstream>();

/** The only server behind us: what nobody here knows, it may. */
export function onlyCarrier({ upstreams }: Snapshot): Forwarded | undefined {
  const [upstream] = upstreams;
  return upstreams.length === 1 && upstream !== undefined ? { upstream, original: (shown) => shown } : undefined;
}

/** The server that a URI is to be asked about; undefined where it is ours. */
export function carriedAt(snapshot: Snapshot, uri: string): Forwarded | undefined {
  const target = findTarget(snapshot, uri);
  if (target === undefined) return onlyCarrier(snapshot);
  if (target.kind !== 'skill') return target.resource.forwarded;
  // The only server knows its skills by the URIs that hosts know.
  const only = onlyCarrier(snapshot);
  return only?.upstream.name === target.skill.origin ? only : undefined;
}

/** A request about a tool or prompt. Throws an error of the protocol: the server's own, where it gave one. */
export function carryByName(forwarded: Forwarded, method: string, params: Fields, name: string, context: ReadContext): Promise<Fields> {
  return orProtocolError(name, () => forwarded.upstream.forward(method, renamed(params, 'name', name, forwarded), context));
}

/** The fields with what the server calls it; the very same where that is no other. */
function renamed(fields: Fields, field: 'name' | 'uri', shown: string, forwarded: Forwarded): Fields {
  const original = forwarded.original(shown);
  return original === shown ? fields : { ...fields, [field]: original };
}

/** What is completed: an argument of a prompt, or a variable of a template. */
export interface Reference {
  readonly type: string;
  readonly name?: string | undefined;
  readonly uri?: string | undefined;
}

/** What the server that has a prompt or a template answers to a completion; undefined where it is ours to answer. */
export async function completeCarried(
  { snapshot, hasOwnContent }: Catalog,
  ref: Fields & Reference,
  params: Fields,
  context: ReadContext,
): Promise<Fields | undefined> {
  const { type, name = '', uri = '' } = ref;
  if (type === 'ref/prompt') {
    const prompt = snapshot.findPrompt(name) ?? onlyCarrier(snapshot);
    if (prompt === undefined) return undefined;
    return complete(prompt, renamed(ref, 'name', name, prompt), params, name, context);
  }
  const template = snapshot.templates.find(({ entry, forwarded }) => forwarded !== undefined && entry.uriTemplate === uri);
  if (template !== undefined && !mayRead(template, uri, context.caller)) return undefined;
  const forwarded = template?.forwarded ?? (hasOwnContent ? undefined : onlyCarrier(snapshot));
  return forwarded === undefined ? undefined : complete(forwarded, renamed(ref, 'uri', uri, forwarded), params, uri, context);
}

function mayRead(resource: ResourceTraits, uri: string, caller: Caller): boolean {
  try {
    resource.authorize?.(uri, caller);
    return true;
  } catch {
    return false;
  }
}

function complete({ upstream }: Forwarded, ref: Fields, params: Fields, about: string, context: ReadContext): Promise<Fields> {
  return orProtocolError(about, () =>
    upstream.forward('completion/complete', ref === params['ref'] ? params : { ...params, ref }, context),
  );
}
