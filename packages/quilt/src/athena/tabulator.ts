/** The buckets whose packages can be queried as tables: each is a database of a data catalog of its own. */
import type { Session } from '../aws/aws.js';
import { Failure, problemOf } from '../failure.js';
import { sideBySide } from '../side-by-side.js';
import { databasesOf } from './databases.js';
import { allPages, following } from './pages.js';
import { CALLS_AT_ONCE, partly } from './parts.js';

export async function tabulatorBuckets(session: Session, dataCatalog: string, signal: AbortSignal) {
  const { entries, isWhole } = await databasesOf(session, dataCatalog, signal).catch((cause: unknown) => {
    throw cause instanceof Failure && cause.kind === 'failed' && !cause.retryable ? withHint(cause, dataCatalog) : cause;
  });
  const all = await sideBySide(entries, CALLS_AT_ONCE, ({ name }) =>
    partly(
      () => tableNames(session, dataCatalog, name, signal),
      ({ entries: tables, isWhole: isAll }) => ({ name, tables, ...(isAll ? {} : { problem: problemOf(tooMany(tables.length)) }) }),
      (failure) => ({ name, tables: null, problem: problemOf(failure) }),
    ),
  );
  const buckets = all.filter(({ tables }) => tables === null || tables.length > 0);
  const complete = isWhole && all.every((each) => each.problem === undefined);
  return { region: session.region, data_catalog: dataCatalog, buckets, count: buckets.length, complete };
}

function withHint({ cause, message }: Failure, dataCatalog: string): Failure {
  const action = `The catalog may have no tabulator: ask its administrator whether Athena has the data catalog ${dataCatalog}.`;
  return new Failure('failed', message, { actions: [action], cause });
}

function tooMany(count: number): Failure {
  return new Failure('failed', `There are more tables than the ${count} that were read.`);
}

async function tableNames(session: Session, CatalogName: string, DatabaseName: string, signal: AbortSignal) {
  const { ListTableMetadataCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return allPages(async (token) => {
    const page = new ListTableMetadataCommand({ CatalogName, DatabaseName, MaxResults: 50, ...following(token) });
    const { NextToken, TableMetadataList = [] } = await session.call('athena:ListTableMetadata', signal, (abortSignal) =>
      athena.send(page, { abortSignal }),
    );
    return { entries: TableMetadataList.map(({ Name }) => Name ?? ''), next: NextToken };
  });
}
