/** The latest queries over all workgroups. */
import type { QueryExecution } from '@aws-sdk/client-athena';
import { mapConcurrently } from '../async.js';
import { notAws } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import { Failure, problemOf } from '../failure.js';
import { truncateWords } from '../secrets.js';
import { isoTime, MAX_CONCURRENT_CALLS, readPages, settle } from './paging.js';
import { workgroupNames } from './workgroups.js';

/** Also Athena's limit per call. */
const MAX_QUERIES = 50;
const MAX_QUERY_LENGTH = 10_000;

export async function queryHistory(session: AwsSession, signal: AbortSignal) {
  const { entries, isComplete } = await workgroupNames(session, signal);
  const parts = await mapConcurrently(entries, MAX_CONCURRENT_CALLS, ({ name }) =>
    settle(
      () => latestQueries(session, name, signal),
      ({ queries, failures }) => ({ name, queries, failures, isRead: true }),
      (failure) => ({ name, queries: [], failures: [failure], isRead: false }),
    ),
  );
  const failures = parts.flatMap((part) => part.failures);
  const [first] = failures;
  if (first !== undefined && !parts.some(({ isRead }) => isRead)) throw failures.find(({ retryable }) => !retryable) ?? first;
  const queries = parts
    .flatMap((part) => part.queries)
    .sort((a, b) => submittedAt(b) - submittedAt(a) || ((a.QueryExecutionId ?? '') < (b.QueryExecutionId ?? '') ? -1 : 1))
    .slice(0, MAX_QUERIES)
    .map(queryView);
  return {
    region: session.region,
    queries,
    count: queries.length,
    workgroups: entries.map(({ name }) => name),
    complete: isComplete && failures.length === 0,
    problems: parts.flatMap(({ name, failures }) => failures.map((failure) => ({ part: `the workgroup ${name}`, ...problemOf(failure) }))),
  };
}

function submittedAt({ Status }: QueryExecution): number {
  return Status?.SubmissionDateTime?.getTime() ?? 0;
}

/** Of one workgroup. `failures` explain what is missing. */
async function latestQueries(session: AwsSession, WorkGroup: string, signal: AbortSignal) {
  const { entries, isComplete } = await latestIds(session, WorkGroup, signal);
  const ids = entries.slice(0, MAX_QUERIES);
  const failures = isComplete ? [] : [new Failure('failed', 'Athena lists its queries on more pages than are read.')];
  const queries = await queriesOf(session, ids, signal);
  const missing = missingIds(ids, queries);
  if (missing.length === 0) return { queries, failures };
  const retried = await settle(
    () => queriesOf(session, missing, signal),
    (found) => found,
    (failure) => {
      failures.push(failure);
      return [];
    },
  );
  const all = [...queries, ...retried];
  const lost = missingIds(ids, all).length;
  if (lost > 0)
    failures.push(new Failure('failed', `Athena did not return ${lost} of its last ${ids.length} queries.`, { retryable: true }));
  return { queries: all, failures };
}

function missingIds(ids: readonly string[], queries: readonly QueryExecution[]): readonly string[] {
  const found = new Set(queries.map(({ QueryExecutionId }) => QueryExecutionId));
  return ids.filter((id) => !found.has(id));
}

/** Athena may omit some of them. */
async function queriesOf(session: AwsSession, ids: readonly string[], signal: AbortSignal): Promise<readonly QueryExecution[]> {
  if (ids.length === 0) return [];
  const { BatchGetQueryExecutionCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  const command = new BatchGetQueryExecutionCommand({ QueryExecutionIds: [...ids] });
  const { QueryExecutions = [] } = await session.call('athena:BatchGetQueryExecution', signal, (abortSignal) =>
    athena.send(command, { abortSignal }),
  );
  return QueryExecutions;
}

/** The newest first. */
async function latestIds(session: AwsSession, WorkGroup: string, signal: AbortSignal) {
  const { ListQueryExecutionsCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return readPages(async (next) => {
    const command = new ListQueryExecutionsCommand({ WorkGroup, MaxResults: MAX_QUERIES, ...next });
    const { NextToken, QueryExecutionIds = [] } = await session.call('athena:ListQueryExecutions', signal, (abortSignal) =>
      athena.send(command, { abortSignal }),
    );
    if (!QueryExecutionIds.every((id) => typeof id === 'string')) throw notAws('athena:ListQueryExecutions');
    return { entries: QueryExecutionIds, next: NextToken };
  }, MAX_QUERIES);
}

function queryView({ Query = '', QueryExecutionContext, QueryExecutionId, StatementType, Statistics, Status, WorkGroup }: QueryExecution) {
  return {
    id: QueryExecutionId ?? null,
    workgroup: WorkGroup ?? null,
    database: QueryExecutionContext?.Database ?? null,
    data_catalog: QueryExecutionContext?.Catalog ?? null,
    statement_type: StatementType ?? null,
    state: Status?.State ?? null,
    state_reason: Status?.StateChangeReason ?? null,
    submitted_at: isoTime(Status?.SubmissionDateTime),
    completed_at: isoTime(Status?.CompletionDateTime),
    duration_ms: Statistics?.TotalExecutionTimeInMillis ?? null,
    bytes_scanned: Statistics?.DataScannedInBytes ?? null,
    query: truncateWords(Query, MAX_QUERY_LENGTH),
    ...(Query.length > MAX_QUERY_LENGTH && { query_length: Query.length }),
  };
}
