/** What can go wrong in reading a catalog, told so that somebody can do something about it. */
import { FootbridgeError } from 'footbridge/pack';

/**
 * `login`: nobody is logged in, or not any more. `denied`: whoever is logged in may not. `admin`: only an administrator of the
 * catalog may. `failed`: anything else.
 */
export type FailureKind = 'login' | 'denied' | 'admin' | 'failed';

export interface FailureOptions {
  /** What to do next, in the imperative. */
  readonly actions?: readonly string[];
  /** Whether the same read may succeed later. Default false. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** The message says what went wrong, for anybody to read. */
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

/** What a resource says of a part that failed, where the rest did not. */
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

/** A failure as a value, so that the rest goes on. */
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

/** The error of a whole resource. */
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
      return `Resource '${uri}' may not be read with this login.`;
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
        'Ask whoever runs the AWS account or the catalog for access.',
        "See what the login may do with get_resource('permissions://discover').",
      ];
    case 'admin':
      return ['Contact your Quilt administrator to request elevated access.', SEE_STATUS, SEE_RESOURCES];
    default:
      return retryable
        ? ['Retry in a moment: the cause is likely to pass.', SEE_STATUS]
        : [SEE_STATUS, 'Retrying will not help: the details say what has to be put right.'];
  }
}
