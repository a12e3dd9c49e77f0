/** Why a job did not end well, where sos itself is not to blame. */
import { Failure } from '../failure.js';

const ANEW = 'Generate it anew with generate_sosreport; that needs a new consent.';

export function calledOff(): Failure {
  return new Failure('unexpected_error', 'The job was called off.', ANEW);
}

export function serverStopped(): Failure {
  return new Failure('unexpected_error', 'The server was stopped while sos ran.', ANEW);
}

export function serverRestarted(): Failure {
  return new Failure('unexpected_error', 'The server was restarted while sos ran, and the job was lost.', ANEW);
}

/** The same words for a job that never was and for someone else's. */
export function noSuchJob(): Failure {
  return new Failure(
    'validation_error',
    'There is no such job.',
    'Use the job_id that generate_sosreport returned; jobs are forgotten after 24 hours.',
  );
}

export function otherJobRuns(jobId: string): Failure {
  return new Failure(
    'validation_error',
    'An sosreport is being generated already.',
    `Do not start another; call get_generate_sosreport_status with job_id "${jobId}".`,
    { job_id: jobId },
  );
}
