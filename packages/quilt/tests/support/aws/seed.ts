/** The default test data: buckets with different permissions, a query history, Glue databases and a tabulator. */
import { type Bucket, type Database, GLUE_CATALOG, type Principal, type QueryExecution, type Table, type World } from './world.js';

const ACCOUNT = '123456789012';
const CREATED = new Date('2024-03-05T06:07:08.000Z');
const LAST_QUERY = Date.parse('2026-02-03T04:05:06.789Z');

/** A user with a permanent key. */
export const OPERATOR: Principal = {
  accessKeyId: 'AKIAOPERATOR00000001',
  secretAccessKey: 'operator/secret+access-key-0000000000001',
  arn: `arn:aws:iam::${ACCOUNT}:user/operator`,
  userId: 'AIDAOPERATOR00000001',
  account: ACCOUNT,
};

/** An assumed role, as issued by the registry. */
export const MEMBER: Principal = {
  accessKeyId: 'ASIAMEMBER0000000001',
  secretAccessKey: 'member/secret+access-key-00000000000001',
  sessionToken: 'IQoJb3JpZ2luX2VjEMEMBER/session+token==',
  arn: `arn:aws:sts::${ACCOUNT}:assumed-role/ReadWriteQuiltBucket/jane`,
  userId: 'AROAMEMBER0000000001:jane',
  account: ACCOUNT,
};

/** Secrets in the text of a query, which must not be returned. */
export const BAIT = {
  accessKeyId: 'AKIABAITBAITBAITBAIT',
  signature: 'ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17ba17',
} as const;

const PRESIGNED =
  `https://demo-full.s3.amazonaws.com/private.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${BAIT.accessKeyId}` +
  `%2F20260203%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20260203T040506Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host` +
  `&X-Amz-Signature=${BAIT.signature}`;

/** Creates new data, since tests modify it. */
export function seedWorld(): World {
  return {
    principals: [{ ...OPERATOR }, { ...MEMBER }],
    buckets: [
      bucket('demo-full', {}),
      bucket('demo-read-only', { denied: ['write'] }),
      bucket('demo-list-only', { denied: ['read', 'write'] }),
      bucket('demo-no-access', { denied: ['list', 'read', 'write'] }),
      bucket('demo-empty', { objects: new Map() }),
      bucket('demo-other-region', { region: 'eu-central-1' }),
    ],
    workGroups: [
      {
        name: 'primary',
        state: 'ENABLED',
        description: '',
        created: CREATED,
        enforced: false,
      },
      {
        name: 'QuiltUserAthena-demo',
        state: 'ENABLED',
        description: 'Quilt users',
        created: CREATED,
        outputLocation: 's3://demo-athena-results/users/',
        enforced: true,
        bytesScannedCutoff: 10_000_000_000,
      },
      {
        name: 'finance',
        state: 'DISABLED',
        description: 'Closed to others',
        created: CREATED,
        outputLocation: 's3://finance-results/',
        enforced: true,
        denied: ['read', 'history'],
      },
    ],
    queryExecutions: Array.from({ length: 60 }, (_, index) => queryExecution(index)),
    catalogs: [
      {
        name: GLUE_CATALOG,
        type: 'GLUE',
        databases: [
          database('default', [], { description: 'Default Hive database' }),
          database('analytics', ['events', 'sessions'], { description: 'Product analytics', location: 's3://demo-full/analytics/' }),
          database('genomics', ['variants'], { location: 's3://demo-read-only/genomics/' }),
          database('quilt_demo', ['packages_view', 'objects_view'], { description: 'Packages & objects of the catalog' }),
        ],
      },
      {
        name: 'quilt-demo-tabulator',
        type: 'LAMBDA',
        databases: [
          database('demo-full', ['assays', 'plates'], {}),
          database('demo-read-only', ['samples'], {}),
          database('demo-empty', [], {}),
        ],
      },
    ],
  };
}

function bucket(name: string, differing: Partial<Omit<Bucket, 'name'>>): Bucket {
  const objects = new Map([
    ['README.md', Buffer.from(`# ${name}\n`)],
    ['data/one.csv', Buffer.from('a,b\n1,2\n')],
    ['data/two & <three>.csv', Buffer.from('c\n3\n')],
  ]);
  return { name, region: 'us-east-1', created: CREATED, objects, ...differing };
}

function database(name: string, tables: readonly string[], about: { description?: string; location?: string }): Database {
  return { name, created: CREATED, tables: tables.map(table), ...about };
}

function table(name: string): Table {
  const columns = [
    { name: 'id', type: 'string' },
    { name: 'value', type: 'double' },
  ];
  return { name, created: CREATED, columns };
}

/** The newest first, a minute apart; two of three are in `primary`. */
function queryExecution(index: number): QueryExecution {
  const submitted = new Date(LAST_QUERY - index * 60_000);
  const inPrimary = index % 3 !== 2;
  const common = {
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    query: index === 7 ? `SELECT * FROM read_csv('${PRESIGNED}')` : `SELECT * FROM events WHERE day = ${index} AND note <> 'ü'`,
    workGroup: inPrimary ? 'primary' : 'QuiltUserAthena-demo',
    database: 'analytics',
    catalog: GLUE_CATALOG,
    submitted,
    outputLocation: `s3://demo-athena-results/${inPrimary ? 'primary' : 'users'}/${index}.csv`,
  };
  if (index === 0) return { ...common, state: 'QUEUED' };
  if (index === 1 || index === 2) return { ...common, state: 'RUNNING', engineMilliseconds: 900, bytesScanned: 0 };
  const ended = { ...common, completed: new Date(submitted.getTime() + 1_000 + index * 10), engineMilliseconds: 880 + index * 10 };
  if (index % 10 === 5) return { ...ended, state: 'FAILED', reason: `SYNTAX_ERROR: line 1:8: Column 'day' cannot be resolved` };
  if (index % 10 === 9) return { ...ended, state: 'CANCELLED', reason: 'Query cancelled by user', bytesScanned: 1_024 };
  return { ...ended, state: 'SUCCEEDED', bytesScanned: 1_048_576 * (index + 1) };
}
