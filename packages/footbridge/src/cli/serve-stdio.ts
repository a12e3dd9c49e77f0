/** `footbridge` and `footbridge serve`: over stdio. */
import { Catalog } from '../catalog/catalog.js';
import { callerOf } from '../serve/identity.js';
import { serveStdio } from '../serve/stdio.js';
import { startTelemetry } from '../serve/telemetry/tracing.js';
import type { HostViews } from '../surfaces/hosts/view.js';
import { hostViews } from './host-views.js';
import type { Io } from './io.js';
import { type CommonOptions, openSources, type Sources } from './options.js';
import { served } from './terminal.js';

export async function runStdio(options: CommonOptions, io: Io): Promise<void> {
  const opened = await openSources(options, { watch: true, oneHost: true }, io);
  const { log } = opened;
  try {
    const shown = hostViews(opened.config, options, io);
    const own = await ownPart(opened, shown.hosts);
    const { packs } = opened;
    packs?.provideAddress((await import('../serve/packs/loopback.js')).loopbackAddress(packs.routes, log));
    const telemetry = await startTelemetry(io.env, log);
    log.info(`serving ${served(own.catalog.snapshot.skills.length, opened.servers)} over stdio`);
    await serveStdio({
      ...own,
      stdin: io.stdin,
      stdout: io.stdout,
      stopped: () => io.stopped(),
      log,
      prompts: options.prompts === true,
      ending: async () => void (await Promise.all([shown.end(), packs?.end()])),
      observer: telemetry?.observer,
    });
    await telemetry?.close();
  } finally {
    await opened.end();
  }
}

/** The view of the configured identity; everything without one. */
async function ownPart({ config, log, searchCache, sources }: Sources, hosts: HostViews) {
  const options = { remembered: true, log, searchCache };
  const { http, identity, tools } = config;
  if (identity === undefined || http.roles === undefined) return { catalog: await Catalog.open(sources, options), tools, hosts, identity };
  const { CallerViews } = await import('../serve/caller-views.js');
  const audiences = await CallerViews.open(sources, { ...options, roles: http.roles, tools, hosts });
  return { identity, ...(await audiences.of(callerOf(identity, undefined))) };
}
