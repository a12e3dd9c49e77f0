/** The errors of the pack, and how they are reported. */
import { FootbridgeError } from 'footbridge/pack';

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
  readonly kind: FailureKind;
  readonly actions: readonly string[];
  readonly retryable: boolean;

  constructor(kind: FailureKind, message: string, { actions = [], retryable = false, cause }: FailureOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.kind = kind;
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

const SEE_STATUS = "Check your login with get_resource('auth://status').";
const SEE_RESOURCES = 'Use get_resource() to see resources available to all users.';

export function toError(failure: Failure, uri: string): FootbridgeError {
  const { actions, message, retryable } = failure;
  return new FootbridgeError(codeOf(failure), titleOf(failure, uri), {
    details: message,
    suggestedActions: [...actions, ...usualActions(failure)],
    retryable,
    cause: failure,
  });
}

function codeOf({ kind }: Failure): Problem['error'] {
  return kind === 'failed' ? 'ResourceExecutionError' : 'Unauthorized';
}

function titleOf({ kind }: Failure, uri: string): string {
  switch (kind) {
    case 'login':
      return `Resource '${uri}' requires a login.`;
    case 'denied':
      return `Access to resource '${uri}' is denied for this login.`;
    case 'admin':
      return `Resource '${uri}' requires admin privileges.`;
    default:
      return `Failed to retrieve resource '${uri}'.`;
  }
}

function usualActions({ kind, retryable }: Failure): string[] {
  switch (kind) {
    case 'login':
      return [SEE_STATUS];
    case 'denied':
      return [
        'Ask the administrator of the AWS account or the catalog for access.',
        "Check the permissions of the login with get_resource('permissions://discover').",
      ];
    case 'admin':
      return ['Contact your Quilt administrator to request elevated access.', SEE_STATUS, SEE_RESOURCES];
    default:
      return retryable
        ? ['Retry in a moment: the cause is probably temporary.', SEE_STATUS]
        : [SEE_STATUS, 'Retrying will not help: fix the problem in the details first.'];
  }
}
