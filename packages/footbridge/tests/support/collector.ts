/** An OpenTelemetry collector that keeps what it receives. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { Answer } from './programs.js';

/** A collector on this machine, and what it received. */
export async function startCollector() {
  const received: { path: string; body: Answer }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ path: request.url ?? '', body: await json(request) });
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = addressOf(server);
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), 'close');
  };
  onTestFinished(stop);
  const of = (path: string): Answer[] => received.filter((each) => each.path === path).map(({ body }) => body);
  const spanBatches = (): Answer[] => of('/v1/traces').flatMap(({ resourceSpans }) => resourceSpans);
  return {
    url,
    stop,
    paths: () => received.map(({ path }) => path),
    everything: () => JSON.stringify(received),
    spans: (): Answer[] => spanBatches().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }: Answer) => spans)),
    resources: () => spanBatches().map(({ resource }) => attributesOf(resource)),
    durations(): { unit: string; dataPoints: Answer[] } {
      const metrics: Answer[] = of('/v1/metrics')
        .flatMap(({ resourceMetrics }) => resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap(({ metrics }) => metrics);
      const found = metrics.find(({ name }) => name === 'mcp.server.operation.duration');
      return { unit: found.unit, dataPoints: found.histogram.dataPoints };
    },
  };
}

export function addressOf(server: ReturnType<typeof createServer>): string {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens to no port.');
  return `http://127.0.0.1:${address.port}`;
}

/** Each attribute's value by its key. */
export function attributesOf({ attributes }: Answer): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }: Answer) => [key, Object.values(value)[0]]));
}
