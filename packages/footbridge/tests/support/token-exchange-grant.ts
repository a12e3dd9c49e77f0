/** Token exchange (RFC 8693) at the authorization server of a test, which validates the token that is exchanged. */
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type Provider from 'oidc-provider';
import { errors, type JWKS } from 'oidc-provider';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
/** The audience of callers' tokens. */
export const AUDIENCE = 'footbridge';

export const EXCHANGE_CLIENT = {
  client_id: 'gateway',
  client_secret: 'of the gateway, and nobody else',
  grant_types: [GRANT],
  redirect_uris: [],
  response_types: [],
  token_endpoint_auth_method: 'client_secret_basic' as const,
};

export interface CallerKeys {
  readonly jwks: JWKS;
  /** A token of this caller for Footbridge. */
  tokenFor(name: string, issuer: string): Promise<string>;
  /** The caller that a token was issued to. Rejects for any other token. */
  subjectOf(token: string, issuer: string): Promise<string>;
}

export async function callerKeys(): Promise<CallerKeys> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const header = { alg: 'RS256', kid: 'of-callers', typ: 'at+jwt' };
  return {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kty: 'RSA', kid: header.kid, alg: header.alg, use: 'sig' }] },
    tokenFor: (name, issuer) =>
      new SignJWT({ sub: name, iss: issuer, aud: AUDIENCE, preferred_username: name })
        .setProtectedHeader(header)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    async subjectOf(token, issuer) {
      const { payload } = await jwtVerify(token, publicKey, { issuer, audience: AUDIENCE });
      return payload.sub ?? '';
    },
  };
}

interface Parameters {
  readonly subject_token?: string;
  readonly subject_token_type?: string;
  readonly resource?: string;
  readonly scope?: string;
}

/** `resource` is the only one that tokens are issued for. `exchanged` receives each token with its caller. */
export function offerExchange(
  provider: Provider,
  keys: CallerKeys,
  {
    exchanged,
    issuer,
    lifetime,
    resource,
  }: { issuer: string; resource: string; lifetime: number; exchanged(token: string, name: string): void },
): void {
  provider.registerGrantType<Parameters>(
    GRANT,
    async (context) => {
      const { client, params } = context.oidc;
      if (params.subject_token_type !== ACCESS_TOKEN || params.resource !== resource) throw new errors.InvalidTarget();
      const name = await keys.subjectOf(params.subject_token ?? '', issuer).catch(() => {
        throw new errors.InvalidGrant('unknown subject');
      });
      const grant = new provider.Grant({ accountId: name, clientId: client.clientId });
      grant.addResourceScope(resource, params.scope ?? '');
      const server = new provider.ResourceServer(resource, {
        scope: 'read',
        audience: resource,
        accessTokenTTL: lifetime,
        accessTokenFormat: 'opaque',
      });
      const scope = params.scope ?? 'read';
      const token = new provider.AccessToken({ accountId: name, client, grantId: await grant.save(), gty: 'token_exchange', scope });
      token.resourceServer = server;
      const value = await token.save();
      exchanged(value, name);
      context.body = { access_token: value, issued_token_type: ACCESS_TOKEN, token_type: 'Bearer', expires_in: lifetime, scope };
    },
    ['subject_token', 'subject_token_type', 'requested_token_type', 'resource', 'scope'],
  );
}
