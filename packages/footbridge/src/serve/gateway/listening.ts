/** What newer hosts listen for: servers behind us have to be told which resources somebody watches. */
import { randomUUID } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.js';
import { isFields } from '../../json.js';
import { Cancellation, Context } from '../../sources/context.js';
import type { Exchange, Upstream } from '../../sources/forwarding.js';
import type { Caller } from '../../sources/resource.js';
import { carriedAt, listsOf } from '../../surfaces/passthrough.js';
import { LONGEST_URI } from '../../uri-template.js';

/** As many resources as one request can watch. */
const MOST = 1024;

/** Has resources watched that a `subscriptions/listen` names, until what is returned is called. */
export function watchListened(catalog: Catalog, params: unknown, caller: Caller, request: Exchange): () => void {
  const filter = isFields(params) ? params['notifications'] : undefined;
  const uris: readonly unknown[] =
    isFields(filter) && Array.isArray(filter['resourceSubscriptions']) ? filter['resourceSubscriptions'] : [];
  if (uris.length === 0 || !catalog.carries) return () => {};
  const watcher = randomUUID();
  const context = new Context({ caller, request }, new Cancellation());
  let watched: { readonly upstream: Upstream; readonly uri: string }[] = [];
  let isOver = false;
  const watch = () => {
    if (isOver) return;
    watched = uris.slice(0, MOST).flatMap((uri) => {
      const forwarded = typeof uri === 'string' && uri.length <= LONGEST_URI ? carriedAt(catalog.snapshot, uri) : undefined;
      return forwarded === undefined ? [] : [{ upstream: forwarded.upstream, uri: forwarded.original(String(uri)) }];
    });
    for (const { upstream, uri } of watched) upstream.watch(uri, watcher, context).catch(() => {});
  };
  // Whose a URI is, is known when all servers have said what they have.
  const listing = listsOf(catalog.snapshot.upstreams);
  if (listing === undefined) watch();
  else void listing.then(watch);
  return () => {
    isOver = true;
    for (const { upstream, uri } of watched) upstream.unwatch(uri, watcher);
  };
}
