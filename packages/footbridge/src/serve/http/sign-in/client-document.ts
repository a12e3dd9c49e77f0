/**
 * The client ID metadata document of this deployment: its URL is the `client_id`, so an authorization server that supports these
 * documents needs no registration.
 */
import { createHash } from 'node:crypto';
import type { AuthorizationServer } from '../../../sources/upstream/sign-in/authorization-server.js';
import { isOnPrivateNetwork } from '../../../sources/upstream/sign-in/guarded-fetch.js';
import type { SharedValues } from '../shared/shared-state.js';

/** Relative to `/sign-in`. */
export const DOCUMENT_PATH = '/client-metadata.json';
/** How long a registration is preferred after a sign-in with the document that did not succeed. */
const TRIED_MS = 60 * 60_000;
const ACCEPTED_MS = 30 * 24 * 3600_000;

export class ClientDocument {
  /** Undefined where the public URL does not use https, which the specification requires. */
  readonly url: string | undefined;
  readonly redirectUrl: string;
  readonly #values: SharedValues;

  /** `base`: the public URL of this server, without a trailing slash. */
  constructor(base: string, values: SharedValues) {
    this.url = base.startsWith('https:') ? `${base}/sign-in${DOCUMENT_PATH}` : undefined;
    this.redirectUrl = `${base}/sign-in/callback`;
    this.#values = values;
  }

  get metadata() {
    return {
      client_id: this.url,
      client_name: 'Footbridge',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    };
  }

  /**
   * The URL, if the next sign-in there should use it. An authorization server that cannot reach this server shows an error to the
   * user, who never returns: so after one sign-in that did not succeed, Footbridge registers itself where it can.
   */
  async urlFor({ isInside, issuer, metadata }: AuthorizationServer): Promise<string | undefined> {
    if (this.url === undefined || metadata.client_id_metadata_document_supported !== true) return undefined;
    if (metadata.registration_endpoint === undefined) return this.url;
    if (!isInside && (await isOnPrivateNetwork(new URL(this.url)))) return undefined;
    const key = keyOf(issuer);
    const state = await this.#values.get(key).catch(() => undefined);
    if (state === 'tried') return undefined;
    if (state === undefined) await this.#values.set(key, 'tried', TRIED_MS).catch(() => {});
    return this.url;
  }

  /** A sign-in with this client succeeded. */
  async succeeded(issuer: string, clientId: string): Promise<void> {
    if (clientId === this.url) await this.#values.set(keyOf(issuer), 'accepted', ACCEPTED_MS).catch(() => {});
  }
}

function keyOf(issuer: string): string {
  return `client-document:${createHash('sha256').update(issuer).digest('hex')}`;
}
