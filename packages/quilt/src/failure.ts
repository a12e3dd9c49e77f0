/** The errors of the pack, and how they are reported. */
import { FootbridgeError, type Pack } from 'footbridge/pack';
import type { Secrets } from './secrets.js';

/** `login`: not logged in, or the login expired. `denied`: not permitted. `admin`: requires an administrator. `failed`: anything else. */
export type FailureKind = 'login' | 'denied' | 'admin' | 'failed';

export interface FailureOptions {
  /** What to do next. */
  readonly actions?: readonly string[];
  /** Whether a retry may succeed. Default false. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

export class Failure extends Error {
  readonly actions: readonly string[];
  readonly retryable: boolean;

  constructor(
    readonly kind: FailureKind,
    message: string,
    { actions = [], retryable = false, cause }: FailureOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.actions = actions;
    this.retryable = retryable;
  }
}

/** A part of a resource that failed while the rest succeeded. */
export interface Problem {
  readonly error: 'Unauthorized' | 'ResourceExecutionError';
  readonly message: string;
  readonly retryable: boolean;
  readonly suggested_actions?: readonly string[];
}

export function problemOf(failure: Failure): Problem {
  const { actions, message, retryable } = failure;
  return { error: codeOf(failure), message, retryable, ...(actions.length === 0 ? {} : { suggested_actions: actions }) };
}

/** Resolves with a `Failure` instead of rejecting with it. */
export async function outcome<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof Failure) return cause;
    throw cause;
  }
}

export function toError(failure: Failure, uri: string): FootbridgeError {
  const { actions, message, retryable } = failure;
  return new FootbridgeError(codeOf(failure), TITLES[failure.kind](uri), {
    details: message,
    suggestedActions: [...actions, ...usualActions(failure)],
    retryable,
    cause: failure,
  });
}

function codeOf({ kind }: Failure): Problem['error'] {
  return kind === 'failed' ? 'ResourceExecutionError' : 'Unauthorized';
}

const TITLES: Readonly<Record<FailureKind, (uri: string) => string>> = {
  login: (uri) => `Resource '${uri}' requires a login.`,
  denied: (uri) => `Access to resource '${uri}' is denied for this login.`,
  admin: (uri) => `Resource '${uri}' requires admin privileges.`,
  failed: (uri) => `Failed to retrieve resource '${uri}'.`,
};

const SEE_STATUS = "Check your login with get_resource('auth://status').";
const ACTIONS: Readonly<Record<FailureKind, readonly string[]>> = {
  login: [SEE_STATUS],
  denied: [
    'Ask the administrator of the AWS account or the catalog for access.',
    "Check the permissions of the login with get_resource('permissions://discover').",
  ],
  admin: [
    'Contact your Quilt administrator to request elevated access.',
    SEE_STATUS,
    'Use get_resource() to see resources available to all users.',
  ],
  failed: [SEE_STATUS, 'Retrying will not help: fix the problem in the details first.'],
};
const RETRY_ACTIONS: readonly string[] = ['Retry in a moment: the cause is probably temporary.', SEE_STATUS];

function usualActions({ kind, retryable }: Failure): readonly string[] {
  return kind === 'failed' && retryable ? RETRY_ACTIONS : ACTIONS[kind];
}

export type Resource = NonNullable<Pack['resources']>[number];

export function guardResource(resource: Resource, secrets: Secrets): Resource {
  return {
    ...resource,
    mimeType: 'application/json',
    async read(parameters, context) {
      try {
        return secrets.redactAll(await resource.read(parameters, context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const { actions, cause, kind, message, retryable } = error;
        const redacted = actions.map((each) => secrets.redact(each));
        throw toError(new Failure(kind, secrets.redact(message), { actions: redacted, retryable, cause }), resource.uri);
      }
    },
  };
}
