/** How clients find out how to authenticate: `WWW-Authenticate` and the protected resource metadata. */
import { getOAuthProtectedResourceMetadataUrl, type OAuthProtectedResourceMetadata } from '@modelcontextprotocol/server';
import type { OAuthOptions } from '../options.js';
import type { AuthFailure } from './index.js';

export interface ChallengeOptions {
  /** Where `protectedResourceMetadata` is served; only with an authorization server. */
  readonly resourceMetadataUrl?: string;
}

/** The value of `WWW-Authenticate` (RFC 6750, RFC 9728). */
export function challengeHeader({ error, message }: AuthFailure, { resourceMetadataUrl }: ChallengeOptions): string {
  const parameters = [['realm', 'footbridge']];
  // RFC 6750 forbids quotes and backslashes in a description, even escaped.
  if (error !== undefined) parameters.push(['error', error], ['error_description', message.replaceAll('"', "'").replaceAll('\\', '/')]);
  if (resourceMetadataUrl !== undefined) parameters.push(['resource_metadata', resourceMetadataUrl]);
  return `Bearer ${parameters.map(([name, value = '']) => `${name}="${quoted(value)}"`).join(', ')}`;
}

/** The metadata of `resource`, the URL of the MCP endpoint (RFC 9728). */
export function protectedResourceMetadata({
  resource,
  oauth,
}: {
  readonly resource: string;
  readonly oauth: OAuthOptions;
}): OAuthProtectedResourceMetadata {
  return { resource, authorization_servers: [oauth.issuer], bearer_methods_supported: ['header'], resource_name: 'Footbridge' };
}

/** The path where clients look for the metadata of the resource at `resourcePath`. */
export function metadataPath(resourcePath: string): string {
  return new URL(getOAuthProtectedResourceMetadataUrl(new URL(resourcePath, 'http://localhost'))).pathname;
}

function quoted(value: string): string {
  return value.replace(/[^\x20-\x7e]/g, '?').replace(/[\\"]/g, '\\$&');
}
