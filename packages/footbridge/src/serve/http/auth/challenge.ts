/** What tells a client how to sign in: the header that comes with a refusal, and the document it leads to. */
import { getOAuthProtectedResourceMetadataUrl, type OAuthProtectedResourceMetadata } from '@modelcontextprotocol/server';
import type { OAuthOptions } from '../options.js';
import type { Refused } from './authenticator.js';

export interface ChallengeOptions {
  /** Where `protectedResourceMetadata` is served; only where there is an authorization server. */
  readonly resourceMetadataUrl?: string;
}

/** The value of `WWW-Authenticate` (RFC 6750, RFC 9728). */
export function challengeHeader({ error, message }: Refused, { resourceMetadataUrl }: ChallengeOptions): string {
  const parameters = [
    ['realm', 'footbridge'],
    // Whoever showed nothing made no mistake.
    ...(error === undefined
      ? []
      : [
          ['error', error],
          ['error_description', plain(message)],
        ]),
    ...(resourceMetadataUrl === undefined ? [] : [['resource_metadata', resourceMetadataUrl]]),
  ];
  return `Bearer ${parameters.map(([name, value = '']) => `${name}="${quoted(value)}"`).join(', ')}`;
}

/** The document that says which authorization server gives access to `resource`, the URL that MCP is spoken at (RFC 9728). */
export function protectedResourceMetadata(options: {
  readonly resource: string;
  readonly oauth: OAuthOptions;
}): OAuthProtectedResourceMetadata {
  const { resource, oauth } = options;
  return {
    resource,
    authorization_servers: [oauth.issuer],
    bearer_methods_supported: ['header'],
    resource_name: 'Footbridge',
  };
}

/** Where clients look for the document of what is served at this path. */
export function metadataPath(resourcePath: string): string {
  return new URL(getOAuthProtectedResourceMetadataUrl(new URL(resourcePath, 'http://localhost'))).pathname;
}

/** RFC 6750 has neither of the two in a description, not even escaped. */
function plain(text: string): string {
  return text.replaceAll('"', "'").replaceAll('\\', '/');
}

function quoted(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '?').replace(/[\\"]/g, '\\$&');
}
