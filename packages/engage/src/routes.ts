/** HTTP routes beside the MCP endpoint: pages, connections and consent. */
import type { PackAnswer, PackRequest, PackRoute } from 'footbridge/pack';
import { ownerOf } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure, type FailureCode, toFailure } from './failure.js';
import type { ConnectionView } from './jira/connection-store.js';
import type { Connections } from './jira/connections.js';
import { insecureTransport } from './jira/errors.js';
import { page, pageHeaders } from './pages.js';
import { iso } from './text.js';
import type { Consent } from './workflow/consent.js';

export interface RoutesOptions {
  readonly connections: Connections;
  readonly consent: Consent;
  onUnexpected(cause: unknown): void;
}

/** Placeholder for the invitation's JSON. */
const INVITATION = '__INVITATION__';

export function createRoutes({ connections, consent, onUnexpected }: RoutesOptions): readonly PackRoute[] {
  const attempt = async (statusOf: (failure: Failure) => number | Promise<number>, run: () => Promise<PackAnswer>): Promise<PackAnswer> => {
    try {
      return await run();
    } catch (cause) {
      const failure = toFailure(cause);
      if (failure.code === 'unexpected_error') onUnexpected(failure.cause ?? failure);
      const { code, details, message, text } = failure;
      return { status: await statusOf(failure), body: { code, message, text, ...details } };
    }
  };
  const connectionRoute = (
    method: 'GET' | 'DELETE',
    tool: string,
    run: (owner: string, id: string) => Promise<ConnectionView>,
  ): PackRoute => ({
    method,
    path: '/api/jira/connections/:id',
    access: 'caller',
    tool,
    answer: (request) =>
      attempt(lookupStatus, async () => ({ status: 200, body: await run(owner(request), request.variables['id'] ?? '') })),
  });
  return [
    {
      method: 'GET',
      path: '/engage',
      title: 'Engage Red Hat Support',
      access: 'open',
      needsMcp: true,
      answer: () => ({ status: 200, body: page('app'), headers: pageHeaders('app') }),
    },
    {
      method: 'GET',
      path: '/engage/connect/:ticket',
      access: 'open',
      async answer({ variables: { ticket = '' } }) {
        const info = await connections.ticketInfo(ticket);
        const invitation = info && { jira_base_url: info.jiraBaseUrl, asked_by: info.askedBy, expires_at: info.expiresAt };
        const body = page('connect').replace(INVITATION, () => inlineJson(invitation ?? null));
        return { status: invitation === undefined ? 410 : 200, body, headers: pageHeaders('connect') };
      },
    },
    {
      method: 'POST',
      path: '/engage/connect/:ticket',
      access: 'open',
      answer: ({ body, variables: { ticket = '' } }) =>
        attempt(
          async (failure) => ((await connections.ticketInfo(ticket)) === undefined ? 410 : intakeStatus(failure)),
          async () => ({ status: 201, body: await connections.submit(ticket, body) }),
        ),
    },
    {
      method: 'POST',
      path: '/api/jira/connections',
      access: 'caller',
      tool: 'jira_connect',
      answer: (request) =>
        attempt(intakeStatus, async () => {
          if (!request.isPrivate) throw insecureTransport();
          return { status: 201, body: await connections.connect(owner(request), request.body) };
        }),
    },
    connectionRoute('GET', 'jira_connection_status', (caller, id) => connections.view(caller, id)),
    connectionRoute('DELETE', 'jira_disconnect', (caller, id) => connections.revoke(caller, id)),
    {
      method: 'POST',
      path: '/api/engage/consent-tokens',
      access: 'caller',
      tool: 'mint_engage_consent_token',
      answer: (request) =>
        attempt(consentStatus, async () => {
          if (request.body === undefined) throw invalidJson();
          const { permission_granted: permissionGranted, workflow_session_id: sessionId } = Permission.parse(request.body);
          const { expiresAt, token } = await consent.mint(owner(request), { permissionGranted, sessionId });
          return { status: 201, body: { consent_token: token, expires_at: iso(expiresAt) } };
        }),
    },
  ];
}

function consentStatus({ code }: Failure): number {
  if (code === 'unexpected_error') return 500;
  return code === 'product_selection_required' ? 409 : 400;
}

function invalidJson(): Failure {
  return new Failure(
    'validation_error',
    'The body is not JSON.',
    'Send { "permission_granted": true } with Content-Type: application/json.',
  );
}

/** More lenient than the tool's schema: invalid values get their own error codes. */
const Permission = z
  .object({ permission_granted: z.unknown(), workflow_session_id: z.string().optional().catch('') })
  .catch({ permission_granted: undefined });

function owner({ caller }: PackRequest): string {
  if (caller === undefined) throw new Error('This route requires a caller.');
  return ownerOf(caller);
}

const SERVER_ERRORS: ReadonlySet<FailureCode> = new Set(['vault_key_required', 'vault_refused', 'unexpected_error']);

/** Never 401, which would mean the caller's own token. */
function intakeStatus({ code }: Failure): number {
  if (code === 'upstream_unavailable') return 502;
  return SERVER_ERRORS.has(code) ? 503 : 422;
}

function lookupStatus({ code }: Failure): number {
  return SERVER_ERRORS.has(code) ? 503 : 404;
}

/** Safe inside a script element. */
function inlineJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
