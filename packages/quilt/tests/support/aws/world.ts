/** The data of the test account. Tests modify it while the server runs. */
import type { Operation } from './operations.js';

export interface Principal {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  expired?: boolean;
  readonly arn: string;
  readonly userId: string;
  readonly account: string;
  /** Denied to this principal. */
  denied?: readonly Operation[];
}

/** `write` is PutObject and DeleteObject, `delete` the latter only. */
export type BucketRight = 'list' | 'read' | 'write' | 'delete';

export interface Bucket {
  readonly name: string;
  readonly region: string;
  readonly created: Date;
  readonly objects: Map<string, Buffer>;
  denied?: readonly BucketRight[];
  /** Like a store other than S3: ignores Content-MD5. */
  ignoresMd5?: boolean;
  delayMs?: number;
  /** It answers once this holds. */
  until?: () => boolean;
  hangs?: boolean;
  failsWith?: { readonly status: number; readonly code: string };
}

export interface WorkGroup {
  readonly name: string;
  readonly state: 'ENABLED' | 'DISABLED';
  readonly description: string;
  readonly created: Date;
  readonly outputLocation?: string;
  readonly enforced: boolean;
  readonly bytesScannedCutoff?: number;
  /** `read` is GetWorkGroup, `history` its queries. It is listed anyway, as on AWS. */
  denied?: readonly ('read' | 'history')[];
  hangs?: boolean;
  throttled?: boolean;
}

export interface QueryExecution {
  readonly id: string;
  readonly query: string;
  readonly workGroup: string;
  readonly database: string;
  readonly catalog: string;
  readonly state: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  readonly reason?: string;
  readonly submitted: Date;
  readonly completed?: Date;
  readonly engineMilliseconds?: number;
  readonly bytesScanned?: number;
  readonly outputLocation: string;
  /** How often BatchGetQueryExecution still omits it. */
  unprocessed?: number;
}

export interface Table {
  readonly name: string;
  readonly created: Date;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

export interface Database {
  readonly name: string;
  readonly description?: string;
  readonly location?: string;
  readonly created: Date;
  readonly tables: Table[];
  /** For ListTableMetadata. */
  denied?: boolean;
  hangs?: boolean;
}

export interface DataCatalog {
  readonly name: string;
  readonly type: 'GLUE' | 'LAMBDA';
  readonly databases: Database[];
}

/** Glue has the databases of `AwsDataCatalog`. */
export interface World {
  principals: Principal[];
  buckets: Bucket[];
  workGroups: WorkGroup[];
  queryExecutions: QueryExecution[];
  catalogs: DataCatalog[];
}

export const GLUE_CATALOG = 'AwsDataCatalog';
