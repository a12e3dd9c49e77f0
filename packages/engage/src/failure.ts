/** What can go wrong, each with its code: made where the cause is known, and told in one place. */

/** About the person's yes. */
export type ConsentCode =
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
  | 'explicit_permission_required';

/** About collecting an sosreport. */
export type SosCode =
  | 'dependency_missing'
  | 'privilege_required'
  | 'timeout'
  | 'archive_not_found'
  | 'path_unsafe'
  | 'read_failed'
  | 'copy_failed';

/** About Jira. */
export type JiraCode =
  | 'invalid_credentials'
  | 'forbidden'
  | 'not_found'
  | 'artifact_invalid'
  | 'connection_expired'
  | 'connection_revoked'
  | 'upstream_unavailable';

/** About keeping secrets. */
export type VaultCode = 'vault_key_required' | 'vault_refused';

export type FailureCode = ConsentCode | SosCode | JiraCode | VaultCode | 'validation_error' | 'unexpected_error';

/** More that a machine can use. */
export interface FailureDetails {
  readonly retry_after_seconds?: number;
  readonly job_id?: string;
}

/** Its texts may be shown to anyone who may call: no secret, no path, nothing that another program wrote. */
export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    /** What is wrong. */
    message: string,
    /** What to do next, in the imperative. */
    readonly action: string,
    readonly details: FailureDetails = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
  }

  /** Message and action in one. */
  get text(): string {
    const { retry_after_seconds: seconds } = this.details;
    return `${this.message} ${this.action}${seconds === undefined ? '' : ` It may be tried again in ${seconds} s.`}`;
  }
}

/** Whatever was thrown as a failure of ours. What nobody foresaw is told without its own words, which may hold anything. */
export function toFailure(cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure(
    'unexpected_error',
    'Something went wrong that nobody foresaw.',
    'Try once more; if it happens again, tell whoever runs this server.',
    {},
    cause,
  );
}
