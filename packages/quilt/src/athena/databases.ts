/** Databases, and the tabulator's buckets, each of which is a database of its own data catalog. */
import { mapConcurrently } from '../async.js';
import type { AwsSession } from '../aws/session.js';
import { Failure, problemOf } from '../failure.js';
import { isoTime, MAX_CONCURRENT_CALLS, readPages, settle } from './paging.js';

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

export async function tabulatorBuckets(session: AwsSession, dataCatalog: string, signal: AbortSignal) {
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
