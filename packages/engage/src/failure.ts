/** The errors of the pack, each with its code. */

export type FailureCode =
  | 'consent_missing'
  | 'consent_invalid'
  | 'consent_expired'
  | 'consent_replayed'
  | 'consent_wrong_user'
  | 'consent_session_mismatch'
  | 'consent_wrong_scope'
  | 'consent_wrong_step'
  | 'product_selection_required'
  | 'workflow_session_invalid'
  | 'explicit_permission_required'
  | 'dependency_missing'
  | 'privilege_required'
  | 'timeout'
  | 'archive_not_found'
  | 'path_unsafe'
  | 'read_failed'
  | 'copy_failed'
  | 'invalid_credentials'
  | 'forbidden'
  | 'not_found'
  | 'artifact_invalid'
  | 'connection_expired'
  | 'connection_revoked'
  | 'upstream_unavailable'
  | 'vault_key_required'
  | 'vault_refused'
  | 'validation_error'
  | 'unexpected_error';

/** Machine-readable details. */
export interface FailureDetails {
  readonly retry_after_seconds?: number;
  readonly job_id?: string;
  /** The caller's own connections to Jira. */
  readonly connections?: readonly object[];
}

/** Its texts are shown to callers: no secrets, no paths, no output of other programs. */
export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    message: string,
    /** What to do next. */
    readonly action: string,
    readonly details: FailureDetails = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
  }

  get text(): string {
    const { retry_after_seconds: seconds } = this.details;
    return `${this.message} ${this.action}${seconds === undefined ? '' : ` Retry in ${seconds} s.`}`;
  }
}

/** Wraps an unexpected error without repeating its message, which may contain anything. */
export function toFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  const action = 'Try again; if it keeps failing, report it to the operator of this server.';
  return new Failure('unexpected_error', 'An unexpected error occurred.', action, {}, cause);
}
