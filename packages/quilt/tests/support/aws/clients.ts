/** SDK clients for the test server. */
import { AthenaClient } from '@aws-sdk/client-athena';
import { GlueClient } from '@aws-sdk/client-glue';
import { S3Client } from '@aws-sdk/client-s3';
import { STSClient } from '@aws-sdk/client-sts';
import { type AwsServer, type Bucket, OPERATOR, type Principal } from './index.js';

type Keys = Pick<Principal, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>;

/** Without retries by default. */
export function clients(aws: AwsServer, { accessKeyId, secretAccessKey, sessionToken }: Keys = OPERATOR, maxAttempts = 1) {
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const common = { endpoint: aws.url, region: 'us-east-1', credentials, maxAttempts };
  return {
    s3: new S3Client({ ...common, followRegionRedirects: true }),
    sts: new STSClient(common),
    athena: new AthenaClient(common),
    glue: new GlueClient(common),
  };
}

/** The name and HTTP status of an error. */
export async function failure(promise: Promise<unknown>): Promise<{ name: unknown; status: unknown; message: unknown }> {
  const error: unknown = await promise.then(
    () => new Error('no error'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw error;
  const metadata: unknown = Reflect.get(error, '$metadata');
  const status = typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : undefined;
  return { name: error.name, status, message: error.message };
}

export function bucketOf({ world }: AwsServer, name: string): Bucket {
  const found = world.buckets.find((bucket) => bucket.name === name);
  if (found === undefined) throw new Error(`no bucket ${name}`);
  return found;
}
