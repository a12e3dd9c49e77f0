/** The surface `passthrough`: forwards requests to upstreams and their answers back, unchanged. */
import { setTimeout } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.js';
import type { Snapshot } from '../catalog/snapshot.js';
import { findTarget } from '../catalog/target.js';
import type { Fields } from '../json.js';
import type { Forwarded, Upstream } from '../sources/forwarding.js';
import type { Caller, ReadContext, ResourceTraits } from '../sources/resource.js';
import { nameKey } from '../sources/skill-uri.js';
import { findShownPrompt } from './prompts.js';
import { orProtocolError } from './resources.js';

/** Hosts that wait much longer for tools start without them. */
const LISTING_TIMEOUT_MS = 1000;

/** Waits until upstreams have listed what they have: for the only one without limit, briefly for several. Undefined when all have. */
export function whenListed(upstreams: readonly Upstream[]): Promise<unknown> | undefined {
  if (upstreams.length === 0) return undefined;
  const alone = upstreams.length === 1;
  const waiting = upstreams.filter((upstream) => !upstream.isListed && (alone || !slow.has(upstream)));
  if (waiting.length === 0) return undefined;
  const listings = waiting.map((upstream) => upstream.listed());
  if (alone) return Promise.all(listings);
  const late = setTimeout(LISTING_TIMEOUT_MS, undefined, { ref: false });
  return Promise.race([enoughOf(listings), late]).then(() => {
    for (const upstream of waiting) if (!upstream.isListed) slow.add(upstream);
  });
}

/** With many servers, only the first start at once; the others are announced. */
const MAX_AWAITED = 16;
const ENOUGH = 8;

function enoughOf(listings: readonly Promise<void>[]): Promise<unknown> {
  if (listings.length <= MAX_AWAITED) return Promise.all(listings);
  // Servers whose lists were cached are shown together.
  const counts = new Map<Promise<void>, number>();
  for (const listing of listings) counts.set(listing, (counts.get(listing) ?? 0) + 1);
  return new Promise<void>((resolve) => {
    let listed = 0;
    for (const [listing, count] of counts)
      void listing.then(() => {
        listed += count;
        if (listed >= ENOUGH) resolve();
      });
  });
}

/** Upstreams that timed out: they are waited for only once. */
const slow = new WeakSet<Upstream>();

/** The only upstream, which gets requests for unknown names. */
export function onlyUpstream({ upstreams }: Snapshot): Forwarded | undefined {
  const [upstream] = upstreams;
  return upstreams.length === 1 && upstream !== undefined ? { upstream, original: (shown) => shown } : undefined;
}

/** The upstream that a URI belongs to; undefined where it is ours. */
export function upstreamOf(snapshot: Snapshot, uri: string): Forwarded | undefined {
  const target = findTarget(snapshot, uri);
  if (target === undefined) return onlyUpstream(snapshot);
  if (target.kind !== 'skill') return target.resource.forwarded;
  // The only upstream knows its skills by the URIs that hosts use.
  const only = onlyUpstream(snapshot);
  return only?.upstream.name === target.skill.origin ? only : undefined;
}

/** Forwards a request about a tool or prompt. Throws a `ProtocolError`, the upstream's own where it answered with one. */
export function forwardByName(forwarded: Forwarded, method: string, params: Fields, name: string, context: ReadContext): Promise<Fields> {
  return orProtocolError(name, () => forwarded.upstream.forward(method, renamed(params, 'name', name, forwarded), context));
}

/** The fields with the upstream's own name; the same object where that does not differ. */
function renamed(fields: Fields, field: 'name' | 'uri', shown: string, forwarded: Forwarded): Fields {
  const original = forwarded.original(shown);
  return original === shown ? fields : { ...fields, [field]: original };
}

/** An argument of a prompt, or a variable of a template. */
export interface Reference {
  readonly type: string;
  readonly name?: string | undefined;
  readonly uri?: string | undefined;
}

/** An upstream's answer to a completion; undefined where the prompt or template is ours. */
export async function completeForwarded(
  { snapshot, hasOwnContent }: Catalog,
  ref: Fields & Reference,
  params: Fields,
  context: ReadContext,
  skillPrompts: boolean,
): Promise<Fields | undefined> {
  const { type, name = '', uri = '' } = ref;
  if (type === 'ref/prompt') {
    const isSkill = skillPrompts && snapshot.byName.has(nameKey(name));
    const prompt = findShownPrompt(snapshot, name, skillPrompts) ?? (isSkill ? undefined : onlyUpstream(snapshot));
    if (prompt === undefined) return undefined;
    return complete(prompt, renamed(ref, 'name', name, prompt), params, name, context);
  }
  const template = snapshot.templates.find(({ entry, forwarded }) => forwarded !== undefined && entry.uriTemplate === uri);
  if (template !== undefined && !mayRead(template, uri, context.caller)) return undefined;
  const forwarded = template?.forwarded ?? (hasOwnContent ? undefined : onlyUpstream(snapshot));
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
