/** The supported operations, and how to recognize them. */

export type Service = 's3' | 'sts' | 'athena' | 'glue';

/** The IAM action of each operation. */
const ACTIONS = {
  's3:ListBuckets': 's3:ListAllMyBuckets',
  's3:ListObjectsV2': 's3:ListBucket',
  's3:HeadBucket': 's3:ListBucket',
  's3:HeadObject': 's3:GetObject',
  's3:GetBucketLocation': 's3:GetBucketLocation',
  's3:PutObject': 's3:PutObject',
  's3:DeleteObject': 's3:DeleteObject',
  'sts:GetCallerIdentity': 'sts:GetCallerIdentity',
  'athena:ListWorkGroups': 'athena:ListWorkGroups',
  'athena:GetWorkGroup': 'athena:GetWorkGroup',
  'athena:ListQueryExecutions': 'athena:ListQueryExecutions',
  'athena:BatchGetQueryExecution': 'athena:BatchGetQueryExecution',
  'athena:ListDatabases': 'athena:ListDatabases',
  'athena:ListTableMetadata': 'athena:ListTableMetadata',
  'athena:ListDataCatalogs': 'athena:ListDataCatalogs',
  'glue:GetDatabases': 'glue:GetDatabases',
} as const;

export type Operation = keyof typeof ACTIONS;

export function actionOf(operation: Operation): string {
  return ACTIONS[operation];
}

export function operationNamed(name: string): Operation | undefined {
  return isOperation(name) ? name : undefined;
}

function isOperation(name: string): name is Operation {
  return Object.hasOwn(ACTIONS, name);
}

export interface S3Place {
  readonly bucket: string;
  readonly key: string;
}

/** Path style: the first segment is the bucket. */
export function placeOf(path: string): S3Place {
  const [, bucket = '', ...rest] = path.split('/');
  return { bucket: decodeURIComponent(bucket), key: decodeURIComponent(rest.join('/')) };
}

export function s3OperationOf(method: string, { bucket, key }: S3Place, query: URLSearchParams): Operation | undefined {
  if (bucket === '') return method === 'GET' ? 's3:ListBuckets' : undefined;
  if (key !== '') {
    if (method === 'HEAD') return 's3:HeadObject';
    if (method === 'PUT') return 's3:PutObject';
    return method === 'DELETE' ? 's3:DeleteObject' : undefined;
  }
  if (method === 'HEAD') return 's3:HeadBucket';
  if (method !== 'GET') return undefined;
  if (query.has('location')) return 's3:GetBucketLocation';
  return query.get('list-type') === '2' ? 's3:ListObjectsV2' : undefined;
}
