/** The queries that ran last, in whichever workgroup. */
import type { QueryExecution } from '@aws-sdk/client-athena';
import type { Session } from '../aws/aws.js';
import { notAws } from '../aws/failure.js';
import { Failure, problemOf } from '../failure.js';
import { cutBetweenWords } from '../secrets.js';
import { sideBySide } from '../side-by-side.js';
import { allPages, following } from './pages.js';
import { CALLS_AT_ONCE, partly } from './parts.js';
import { timeOf } from './time.js';
import { workgroupNames } from './workgroups.js';

/** As many are shown; Athena tells of no more at a time. */
const SHOWN = 50;
/** A query may be a program of its own. */
const LONGEST_QUERY = 10_000;

export async function queryHistory(session: Session, signal: AbortSignal) {
  const { entries, isWhole } = await workgroupNames(session, signal);
  const parts = await sideBySide(entries, CALLS_AT_ONCE, ({ name }) =>
    partly(
      () => lastQueries(session, name, signal),
      ({ queries, shortcomings }) => ({ name, queries, failures: shortcomings, isTold: true }),
      (failure) => ({ name, queries: [], failures: [failure], isTold: false }),
    ),
  );
  const failures = parts.flatMap((part) => part.failures);
  const [first] = failures;
  if (first !== undefined && !parts.some(({ isTold }) => isTold)) throw failures.find(({ retryable }) => !retryable) ?? first;
  const queries = parts
    .flatMap((part) => part.queries)
    .sort((a, b) => (b.Status?.SubmissionDateTime?.getTime() ?? 0) - (a.Status?.SubmissionDateTime?.getTime() ?? 0) || compare(a, b))
    .slice(0, SHOWN)
    .map(shown);
  return {
    region: session.region,
    queries,
    count: queries.length,
    workgroups: entries.map(({ name }) => name),
    complete: isWhole && failures.length === 0,
    problems: parts.flatMap(({ name, failures }) => failures.map((failure) => ({ part: `the workgroup ${name}`, ...problemOf(failure) }))),
  };
}

function compare(a: QueryExecution, b: QueryExecution): number {
  return (a.QueryExecutionId ?? '') < (b.QueryExecutionId ?? '') ? -1 : 1;
}

/** Of one workgroup; `shortcomings` say what is missing. */
async function lastQueries(session: Session, WorkGroup: string, signal: AbortSignal) {
  const { entries, isWhole } = await lastIds(session, WorkGroup, signal);
  const ids = entries.slice(0, SHOWN);
  const shortcomings = isWhole ? [] : [new Failure('failed', 'Athena lists its queries on more pages than are read.')];
  const queries = await queriesOf(session, ids, signal);
  const left = missing(ids, queries);
  if (left.length === 0) return { queries, shortcomings };
  const more = await partly(
    () => queriesOf(session, left, signal),
    (found) => found,
    (failure) => {
      shortcomings.push(failure);
      return [];
    },
  );
  const all = [...queries, ...more];
  const lost = missing(ids, all).length;
  if (lost > 0)
    shortcomings.push(new Failure('failed', `Athena did not tell ${lost} of its last ${ids.length} queries.`, { retryable: true }));
  return { queries: all, shortcomings };
}

function missing(ids: readonly string[], queries: readonly QueryExecution[]): readonly string[] {
  const told = new Set(queries.map(({ QueryExecutionId }) => QueryExecutionId));
  return ids.filter((id) => !told.has(id));
}

/** Athena may leave out some of them. */
async function queriesOf(session: Session, ids: readonly string[], signal: AbortSignal): Promise<readonly QueryExecution[]> {
  if (ids.length === 0) return [];
  const { BatchGetQueryExecutionCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  const get = new BatchGetQueryExecutionCommand({ QueryExecutionIds: [...ids] });
  const { QueryExecutions = [] } = await session.call('athena:BatchGetQueryExecution', signal, (abortSignal) =>
    athena.send(get, { abortSignal }),
  );
  return QueryExecutions;
}

/** The newest come first; a page may hold fewer than were asked for, or none. */
async function lastIds(session: Session, WorkGroup: string, signal: AbortSignal) {
  const { ListQueryExecutionsCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return allPages(async (token) => {
    const page = new ListQueryExecutionsCommand({ WorkGroup, MaxResults: SHOWN, ...following(token) });
    const { NextToken, QueryExecutionIds = [] } = await session.call('athena:ListQueryExecutions', signal, (abortSignal) =>
      athena.send(page, { abortSignal }),
    );
    if (!QueryExecutionIds.every((id) => typeof id === 'string')) throw notAws('athena:ListQueryExecutions');
    return { entries: QueryExecutionIds, next: NextToken };
  }, SHOWN);
}

function shown({ Query = '', QueryExecutionContext, QueryExecutionId, StatementType, Statistics, Status, WorkGroup }: QueryExecution) {
  return {
    id: QueryExecutionId ?? null,
    workgroup: WorkGroup ?? null,
    database: QueryExecutionContext?.Database ?? null,
    data_catalog: QueryExecutionContext?.Catalog ?? null,
    statement_type: StatementType ?? null,
    state: Status?.State ?? null,
    state_reason: Status?.StateChangeReason ?? null,
    submitted_at: timeOf(Status?.SubmissionDateTime),
    completed_at: timeOf(Status?.CompletionDateTime),
    duration_ms: Statistics?.TotalExecutionTimeInMillis ?? null,
    bytes_scanned: Statistics?.DataScannedInBytes ?? null,
    query: cutBetweenWords(Query, LONGEST_QUERY),
    ...(Query.length > LONGEST_QUERY ? { query_length: Query.length } : {}),
  };
}
