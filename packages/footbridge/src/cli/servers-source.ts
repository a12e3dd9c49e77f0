/** The configured servers as a source. */
import type { Contribution, ResourceUpdated } from '../sources/source.js';
import type { UpstreamSource, UpstreamsOptions } from '../sources/upstream/index.js';

/** Loads nothing while there are no servers; `update` may add some later. */
export async function serversSource(options: UpstreamsOptions): Promise<UpstreamSource> {
  if (Object.keys(options.servers).length === 0) return lateSource(options);
  return (await import('../sources/upstream/index.js')).upstreams(options);
}

function lateSource(options: UpstreamsOptions): UpstreamSource {
  let { servers } = options;
  let announce: { changed(next: Contribution): void; updated: ResourceUpdated } | undefined;
  let source: UpstreamSource | undefined;
  let starting: Promise<void> | undefined;
  let closed = false;

  const start = async ({ changed, updated }: NonNullable<typeof announce>) => {
    const { upstreams } = await import('../sources/upstream/index.js');
    if (closed) return;
    source = upstreams({ ...options, servers });
    let isNewer = false;
    const first = await source.open((next) => {
      isNewer = true;
      changed(next);
    }, updated);
    if (!isNewer && !closed) changed(first);
  };

  const startWhenNeeded = () => {
    if (announce === undefined || Object.keys(servers).length === 0 || closed) return;
    starting ??= start(announce).catch((cause: unknown) => options.log?.error(`upstream servers cannot be loaded: ${String(cause)}`));
  };

  return {
    name: 'upstream',
    async open(changed, updated) {
      announce = { changed, updated };
      startWhenNeeded();
      return { skills: [], notices: [], upstreams: [] };
    },
    update(next) {
      servers = next;
      if (source === undefined) startWhenNeeded();
      else source.update(next);
    },
    async listed(waiting) {
      await starting;
      await source?.listed(waiting);
    },
    async complete() {
      await starting;
      return (await source?.complete()) ?? new Map();
    },
    async refresh(context) {
      await source?.refresh(context);
    },
    close() {
      closed = true;
      source?.close();
    },
    async end() {
      closed = true;
      await starting;
      await source?.end();
    },
  };
}
