/** The upstream servers as one source. Their code is loaded with the first server. */
import type { Contribution } from '../sources/source.js';
import type { UpstreamSource, UpstreamsOptions } from '../sources/upstream/index.js';

/** Loads nothing while there are no servers; `update` may add some later. */
export async function serversSource(options: UpstreamsOptions): Promise<UpstreamSource> {
  return isEmpty(options.servers) ? lateSource(options) : (await loadUpstream()).upstreams(options);
}

function loadUpstream() {
  return import('../sources/upstream/index.js');
}

function isEmpty(servers: UpstreamsOptions['servers']): boolean {
  return Object.keys(servers).length === 0;
}

function lateSource(options: UpstreamsOptions): UpstreamSource {
  let { servers } = options;
  let announce: { changed(next: Contribution): void; updated(uri: string): void } | undefined;
  let source: UpstreamSource | undefined;
  let starting: Promise<void> | undefined;
  let closed = false;

  const start = async ({ changed, updated }: NonNullable<typeof announce>) => {
    const { upstreams } = await loadUpstream();
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
    if (announce === undefined || isEmpty(servers) || closed) return;
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
