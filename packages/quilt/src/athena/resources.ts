/** Resources from Athena and Glue. */
import type { QueryExecution } from '@aws-sdk/client-athena';
import { defineResource } from 'footbridge/pack';
import { mapConcurrently } from '../async.js';
import { notAws, rejectMalformed } from '../aws/errors.js';
import type { AwsSession } from '../aws/session.js';
import type { Catalog } from '../catalog.js';
import { Failure, problemOf, type Resource } from '../failure.js';
import { type Login, notLoggedIn } from '../login/login.js';
import { truncateWords } from '../secrets.js';
import { isoTime, MAX_CONCURRENT_CALLS, readPages, settle, workgroupNames, workgroups } from './workgroups.js';

/** For several sequential calls, each with its own timeout. */
const TIMEOUT_MS = 30_000;

export function athenaResources(catalog: Catalog): readonly Resource[] {
  const withSession =
    (work: (session: AwsSession, signal: AbortSignal) => Promise<unknown>) =>
    async (_: unknown, { signal }: { signal: AbortSignal }) =>
      rejectMalformed(work(await catalog.session(await catalog.login(), signal), signal));
  return [
    defineResource({
      uri: 'athena://databases',
      name: 'athena-databases',
      title: 'Athena databases',
      description: 'The databases that can be queried with Athena: description, location and creation time.',
      timeoutMs: TIMEOUT_MS,
      read: withSession(databases),
    }),
    defineResource({
      uri: 'athena://workgroups',
      name: 'athena-workgroups',
      title: 'Athena workgroups',
      description: 'The Athena workgroups with output location and enforced settings. One without access is listed with the reason.',
      timeoutMs: TIMEOUT_MS,
      read: withSession(workgroups),
    }),
    defineResource({
      uri: 'athena://query/history',
      name: 'athena-query-history',
      title: 'Athena query history',
      description: 'The last 50 queries over all workgroups: state, duration, bytes scanned and text.',
      timeoutMs: TIMEOUT_MS,
      read: withSession(queryHistory),
    }),
  ];
}

export function tabulatorResources(catalog: Catalog): readonly Resource[] {
  return [
    defineResource({
      uri: 'tabulator://buckets',
      name: 'tabulator-buckets',
      title: 'Tabulator buckets',
      description: 'The buckets that have tabulator tables, and the names of those tables.',
      timeoutMs: TIMEOUT_MS,
      async read(_, { signal }) {
        const login = await catalog.login();
        if (login.catalogUrl === undefined) throw withoutCatalog(login);
        const { tabulatorDataCatalog } = await catalog.configs.of(login.catalogUrl, signal);
        if (tabulatorDataCatalog === undefined)
          throw new Failure('failed', `The config.json of ${login.catalogUrl} has no analyticsBucket, so its tabulator is unknown.`, {
            actions: ['Ask the administrator of the catalog whether it has a tabulator.'],
          });
        return rejectMalformed(tabulatorBuckets(await catalog.session(login, signal), tabulatorDataCatalog, signal));
      },
    }),
  ];
}

/** A login with a token and a registry URL only has no catalog, which is needed for the tabulator. */
function withoutCatalog(login: Login): Failure {
  if (login.token === undefined) return notLoggedIn(login);
  return new Failure('failed', 'The URL of the catalog is unknown, and its config.json is needed to find the tabulator.', {
    actions: ['Set QUILT_CATALOG_URL in the environment of this server, or run `quilt3 config https://YOUR-CATALOG`.'],
  });
}

/** Athena's name for the data catalog of Glue. */
const DATA_CATALOG = 'AwsDataCatalog';

/** From Glue, which has the most details; from Athena if Glue denies access. */
export async function databases(session: AwsSession, signal: AbortSignal) {
  const { region } = session;
  try {
    const { entries, isComplete } = await glueDatabases(session, signal);
    return { region, data_catalog: DATA_CATALOG, databases: entries, count: entries.length, complete: isComplete, problems: [] };
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.kind !== 'denied') throw failure;
    const { entries } = await athenaDatabases(session, DATA_CATALOG, signal);
    const databases = entries.map((entry) => ({ ...entry, location: null, created_at: null }));
    const problems = [{ part: 'locations and creation times', ...problemOf(failure) }];
    return { region, data_catalog: DATA_CATALOG, databases, count: databases.length, complete: false, problems };
  }
}

async function tabulatorBuckets(session: AwsSession, dataCatalog: string, signal: AbortSignal) {
  const { entries, isComplete } = await athenaDatabases(session, dataCatalog, signal).catch((cause: unknown) => {
    if (!(cause instanceof Failure) || cause.kind !== 'failed' || cause.retryable) throw cause;
    const action = `The catalog may have no tabulator: ask its administrator whether Athena has the data catalog ${dataCatalog}.`;
    throw new Failure('failed', cause.message, { actions: [action], cause: cause.cause });
  });
  const all = await mapConcurrently(entries, MAX_CONCURRENT_CALLS, ({ name }) =>
    settle(
      () => tableNames(session, dataCatalog, name, signal),
      (tables) => ({ name, tables: tables.entries, ...(!tables.isComplete && { problem: problemOf(tooMany(tables.entries.length)) }) }),
      (failure) => ({ name, tables: null, problem: problemOf(failure) }),
    ),
  );
  const buckets = all.filter(({ tables }) => tables === null || tables.length > 0);
  const complete = isComplete && all.every((each) => each.problem === undefined);
  return { region: session.region, data_catalog: dataCatalog, buckets, count: buckets.length, complete };
}

function tooMany(count: number): Failure {
  return new Failure('failed', `There are more tables than the ${count} that were read.`);
}

async function glueDatabases(session: AwsSession, signal: AbortSignal) {
  const { GetDatabasesCommand } = await import('../aws/sdk/glue.js');
  const glue = await session.glue();
  return readPages(async (next) => {
    const command = new GetDatabasesCommand({ MaxResults: 100, ...next });
    const { DatabaseList = [], NextToken } = await session.call('glue:GetDatabases', signal, (abortSignal) =>
      glue.send(command, { abortSignal }),
    );
    const entries = DatabaseList.map(({ CreateTime, Description, LocationUri, Name }) => ({
      name: Name ?? '',
      description: Description ?? null,
      location: LocationUri ?? null,
      created_at: isoTime(CreateTime),
    }));
    return { entries, next: NextToken };
  });
}

async function athenaDatabases(session: AwsSession, CatalogName: string, signal: AbortSignal) {
  const { ListDatabasesCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return readPages(async (next) => {
    const command = new ListDatabasesCommand({ CatalogName, MaxResults: 50, ...next });
    const { DatabaseList = [], NextToken } = await session.call('athena:ListDatabases', signal, (abortSignal) =>
      athena.send(command, { abortSignal }),
    );
    const entries = DatabaseList.map(({ Description, Name }) => ({ name: Name ?? '', description: Description ?? null }));
    return { entries, next: NextToken };
  });
}

async function tableNames(session: AwsSession, CatalogName: string, DatabaseName: string, signal: AbortSignal) {
  const { ListTableMetadataCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return readPages(async (next) => {
    const command = new ListTableMetadataCommand({ CatalogName, DatabaseName, MaxResults: 50, ...next });
    const { NextToken, TableMetadataList = [] } = await session.call('athena:ListTableMetadata', signal, (abortSignal) =>
      athena.send(command, { abortSignal }),
    );
    return { entries: TableMetadataList.map(({ Name }) => Name ?? ''), next: NextToken };
  });
}

/** Also Athena's limit per call. */
const MAX_QUERIES = 50;
const MAX_QUERY_LENGTH = 10_000;

async function queryHistory(session: AwsSession, signal: AbortSignal) {
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
