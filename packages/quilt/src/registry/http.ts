/** Requests to a catalog or registry, with timeout and size limit, without following redirects. */
import { BodyTooLongError, networkProblem, outgoingFetch, parseJson, systemCode } from 'footbridge/pack';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { normalizeUrl } from '../login/quilt-files.js';

export interface JsonResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** For one remote call, here and with AWS. */
export const TIMEOUT_MS = 5000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Throws a failure if there is no response. `server` is used in messages, such as 'The registry'. */
export async function fetchJson(server: string, url: string, request: JsonRequest, signal: AbortSignal): Promise<JsonResponse> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const options = { ...request, signal: AbortSignal.any([signal, timeout]), longestBody: MAX_BYTES };
    const response = await outgoingFetch(new URL(url), options);
    return { status: response.status, headers: response.headers, json: parseJson(await response.text()) };
  } catch (cause) {
    const name = `${server} at ${new URL(url).origin}`;
    if (cause instanceof BodyTooLongError)
      throw new Failure('failed', `${name} sent more than ${MAX_BYTES / 1024 ** 2} MiB.`, { actions: [CHECK_URL] });
    // The caller's signal may be a shorter timeout.
    const isCallerTimeout = signal.aborted && isTimeout(signal.reason);
    if (!isCallerTimeout) signal.throwIfAborted();
    const when = isCallerTimeout ? 'in time' : `within ${TIMEOUT_MS / 1000} s`;
    const reason =
      isCallerTimeout || timeout.aborted
        ? `did not respond ${when}`
        : `is unreachable (${networkProblem(cause) ?? systemCode(cause) ?? 'no connection'})`;
    throw new Failure('failed', `${name} ${reason}.`, {
      retryable: true,
      actions: [`Check the network, and whether ${new URL(url).origin} is the right URL.`],
      cause,
    });
  }
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** The failure for an unexpected response. */
export function unexpectedResponse(server: string, url: string, { headers, json, status }: JsonResponse): Failure {
  const name = `${server} at ${new URL(url).origin}`;
  if (status === 429 || status >= 500) {
    const seconds = headers.get('retry-after');
    const wait = seconds !== null && /^\d{1,5}$/.test(seconds) ? `Retry in ${seconds} s.` : 'Retry in a moment.';
    return new Failure('failed', `${name} is overloaded or failing (HTTP ${status}).`, { retryable: true, actions: [wait] });
  }
  if (status >= 300 && status < 400)
    return new Failure('failed', `${name} redirects (HTTP ${status}), probably to a login page.`, { actions: [CHECK_URL] });
  if (json === undefined) {
    const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0] ?? 'no content type';
    const what = /json/i.test(type) ? 'invalid JSON' : `${type} instead of JSON`;
    return new Failure('failed', `${name} sent ${what} (HTTP ${status}).`, { actions: [CHECK_URL] });
  }
  return new Failure('failed', `${name} sent HTTP ${status}.`, { actions: [CHECK_URL] });
}

const CHECK_URL = 'Check the URL of the catalog: `quilt3 config` shows it, `quilt3 config https://YOUR-CATALOG` sets it.';

const CONFIG = z.object({
  registryUrl: z.string().nullish(),
  region: z.string().nullish(),
  analyticsBucket: z.string().nullish(),
});

interface CatalogConfig {
  readonly registryUrl: string | undefined;
  readonly region: string | undefined;
  /** Athena's data catalog with the tabulator's tables. */
  readonly tabulatorDataCatalog: string | undefined;
}

const CACHE_MS = 60_000;

export class CatalogConfigs {
  readonly #cached = new Map<string, { readonly config: CatalogConfig; readonly until: number }>();

  async of(catalogUrl: string, signal: AbortSignal): Promise<CatalogConfig> {
    const cached = this.#cached.get(catalogUrl);
    if (cached !== undefined && Date.now() < cached.until) return cached.config;
    const config = await read(catalogUrl, signal);
    this.#cached.clear();
    this.#cached.set(catalogUrl, { config, until: Date.now() + CACHE_MS });
    return config;
  }
}

async function read(catalogUrl: string, signal: AbortSignal): Promise<CatalogConfig> {
  const url = `${catalogUrl}/config.json`;
  const response = await fetchJson('The catalog', url, { method: 'GET', headers: { accept: 'application/json' } }, signal);
  if (response.status !== 200 || response.json === undefined) throw unexpectedResponse('The catalog', url, response);
  const checked = CONFIG.safeParse(response.json);
  if (!checked.success) throw new Failure('failed', `The config.json of ${catalogUrl} is not that of a Quilt catalog.`);
  const { analyticsBucket, region, registryUrl } = checked.data;
  return {
    registryUrl: normalizeUrl(registryUrl),
    region: region ?? undefined,
    tabulatorDataCatalog: analyticsBucket ? `quilt-${stackPrefix(analyticsBucket)}-tabulator` : undefined,
  };
}

/** The prefix of the stack's bucket names: `demo` for `demo-analyticsbucket-1x2y3z`. */
function stackPrefix(bucket: string): string {
  const at = bucket.toLowerCase().indexOf('-analyticsbucket');
  return at > 0 ? bucket.slice(0, at) : (bucket.split('-')[0] ?? bucket);
}
