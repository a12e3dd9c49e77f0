/** What a server that requires a login sends: its challenge, both kinds of metadata, registrations and tokens. */
import fc from 'fast-check';
import type { Page, SignInCase, Site } from '../case.js';
import { repeat, text, type Value } from '../value.js';
import { hostileValue, longText, mutated, oddText, unit } from './values.js';

/** Longer answers are refused. */
const MAX = 300_000;
const MAX_HEADER = 12_000;

const JSON_TYPE = [['content-type', 'application/json']] as const;

const RESOURCE: Value = {
  resource: '{site}/mcp',
  authorization_servers: ['{site}'],
  scopes_supported: ['read', 'write'],
  bearer_methods_supported: ['header'],
};
const SERVER: Value = {
  issuer: '{site}',
  authorization_endpoint: '{site}/authorize',
  token_endpoint: '{site}/token',
  registration_endpoint: '{site}/register',
  revocation_endpoint: '{site}/revoke',
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  scopes_supported: ['read', 'offline_access'],
};
const TOKENS: Value = { access_token: 'given', token_type: 'Bearer', expires_in: 3600, scope: 'read', refresh_token: 'again' };
const CLIENT: Value = {
  client_id: 'registered',
  client_secret: 'unknown',
  client_secret_expires_at: 0,
  redirect_uris: ['http://127.0.0.1/callback'],
  scope: 'read',
};
const REFUSAL: Value = { error: 'invalid_grant', error_description: 'x', error_uri: 'https://example.org' };

/** A good page, or one that is wrong in some way. */
function page(valid: Value): fc.Arbitrary<Page> {
  const status = fc.oneof(
    { weight: 8, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(201, 204, 301, 302, 400, 401, 403, 404, 429, 500, 503) },
  );
  const body = fc.oneof(
    { weight: 3, arbitrary: fc.constant(valid) },
    { weight: 6, arbitrary: mutated(valid, MAX) },
    { weight: 1, arbitrary: mutated(REFUSAL, MAX) },
    { weight: 1, arbitrary: hostileValue(MAX) },
  );
  const target = fc.oneof(fc.constantFrom<Value>('{site}/', '{site}/token', 'http://127.0.0.1:9/', 'https://example.invalid/'), oddText);
  const headers = fc.oneof(
    { weight: 8, arbitrary: fc.constant<Page['headers']>(JSON_TYPE) },
    { weight: 1, arbitrary: longText(MAX_HEADER).map((value): Page['headers'] => [['content-type', value]]) },
    { weight: 1, arbitrary: target.map((value): Page['headers'] => [...JSON_TYPE, ['location', value]]) },
  );
  return fc.record({ status, headers, body });
}

/** Challenges are read with regular expressions. */
const challenge: fc.Arbitrary<Value> = fc.oneof(
  fc.constant<Value>('Bearer resource_metadata="{site}/.well-known/oauth-protected-resource/mcp", scope="read"'),
  fc.constant<Value>('Bearer error="insufficient_scope", scope="admin"'),
  fc
    .tuple(
      fc.constantFrom('Bearer ', 'DPoP ', 'Basic realm="x", Bearer ', 'bearer bearer '),
      fc.constantFrom('resource_metadata=', 'scope=', 'error=', 'scope="', 'resource_metadata="{site}', 'realm="\\', ',', ' ='),
      unit,
      fc.nat({ max: MAX_HEADER }),
      fc.constantFrom('', '"', '", scope="', '\\"'),
    )
    .map(([scheme, name, each, times, end]) => text(scheme, name, repeat(each, Math.floor(times / each.length)), end)),
  longText(MAX_HEADER),
);

const METADATA = '/.well-known/oauth-authorization-server';

const site: fc.Arbitrary<Site> = fc
  .record({
    '/.well-known/oauth-protected-resource/mcp': page(RESOURCE),
    '/.well-known/oauth-protected-resource': page(RESOURCE),
    [METADATA]: page(SERVER),
    '/.well-known/openid-configuration': page(SERVER),
    '/token': page(TOKENS),
    '/register': page(CLIENT),
    '/revoke': page({}),
  })
  .chain((pages) =>
    fc
      .subarray(Object.keys(pages), { minLength: 4 })
      .map((kept) => Object.fromEntries(kept.map((path) => [path, pages[path as keyof typeof pages]]))),
  );

export const signInCase: fc.Arbitrary<SignInCase> = fc.record({
  entry: fc.constant('sign-in' as const),
  grant: fc.constantFrom('authorization_code', 'client_credentials', 'client_credentials'),
  challenge: fc.record({ status: fc.constantFrom(401, 401, 401, 403), header: challenge }),
  site,
});
