/** Why a connection, or the page that makes one, cannot be used. */
import { Failure } from '../failure.js';

const CONNECT_ANEW = 'Connect anew with jira_connect.';

/** The same words for one that never was and one of somebody else, so that ids cannot be tried out. */
export function noSuchConnection(): Failure {
  return new Failure('not_found', 'There is no such connection.', 'Look at your connections with jira_connection_status, or connect anew.');
}

export function pageNotFilledIn(): Failure {
  return new Failure(
    'not_found',
    'There is no connection yet: its page was not filled in so far.',
    'Have the person open the page that jira_connect gave and fill it in, then try again.',
  );
}

export function connectionExpired(): Failure {
  return new Failure('connection_expired', 'The connection to Jira has expired.', CONNECT_ANEW);
}

export function connectionRevoked(): Failure {
  return new Failure('connection_revoked', 'The connection to Jira was revoked.', CONNECT_ANEW);
}

export function ticketOver(): Failure {
  return new Failure('not_found', 'This page was used already, or is over.', 'Ask for a new one with jira_connect.');
}

export function tooManyConnections(most: number): Failure {
  return new Failure(
    'validation_error',
    `There are ${most} connections to Jira already, and no more are kept for one person.`,
    'Disconnect one first: jira_connection_status lists them, jira_disconnect ends one.',
  );
}

export function anotherJira(): Failure {
  return new Failure(
    'validation_error',
    'This page is for another Jira than the one given.',
    'Use the address that the page shows, or ask for a new page for the other Jira.',
  );
}
