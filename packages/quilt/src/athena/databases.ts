/** The databases that can be queried. */
import type { Session } from '../aws/aws.js';
import { Failure, problemOf } from '../failure.js';
import { allPages, following } from './pages.js';
import { timeOf } from './time.js';

/** The data catalog that Glue keeps, as Athena calls it. */
const DATA_CATALOG = 'AwsDataCatalog';

/** Glue knows most of them; who may not ask it is told by Athena what that knows. */
export async function databases(session: Session, signal: AbortSignal) {
  const { region } = session;
  try {
    const { entries, isWhole } = await fromGlue(session, signal);
    return { region, data_catalog: DATA_CATALOG, databases: entries, count: entries.length, complete: isWhole, problems: [] };
  } catch (refused) {
    if (!(refused instanceof Failure) || refused.kind !== 'denied') throw refused;
    const { entries } = await databasesOf(session, DATA_CATALOG, signal);
    const databases = entries.map(({ description, name }) => ({ name, description, location: null, created_at: null }));
    const problems = [{ part: 'locations and creation times', ...problemOf(refused) }];
    return { region, data_catalog: DATA_CATALOG, databases, count: databases.length, complete: false, problems };
  }
}

async function fromGlue(session: Session, signal: AbortSignal) {
  const { GetDatabasesCommand } = await import('../aws/sdk/glue.js');
  const glue = await session.glue();
  return allPages(async (token) => {
    const page = new GetDatabasesCommand({ MaxResults: 100, ...following(token) });
    const { DatabaseList = [], NextToken } = await session.call('glue:GetDatabases', signal, (abortSignal) =>
      glue.send(page, { abortSignal }),
    );
    const entries = DatabaseList.map(({ CreateTime, Description, LocationUri, Name }) => ({
      name: Name ?? '',
      description: Description ?? null,
      location: LocationUri ?? null,
      created_at: timeOf(CreateTime),
    }));
    return { entries, next: NextToken };
  });
}

/** What Athena knows of the databases of a data catalog. */
export async function databasesOf(session: Session, CatalogName: string, signal: AbortSignal) {
  const { ListDatabasesCommand } = await import('../aws/sdk/athena.js');
  const athena = await session.athena();
  return allPages(async (token) => {
    const page = new ListDatabasesCommand({ CatalogName, MaxResults: 50, ...following(token) });
    const { DatabaseList = [], NextToken } = await session.call('athena:ListDatabases', signal, (abortSignal) =>
      athena.send(page, { abortSignal }),
    );
    return {
      entries: DatabaseList.map(({ Description, Name }) => ({ name: Name ?? '', description: Description ?? null })),
      next: NextToken,
    };
  });
}
