// The same requests one after another, with the same SDK.
import { HeadObjectCommand, ListBucketsCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

/** A function that sends the requests of `permissions://discover` for so many buckets; resolves with the milliseconds. */
export function serialQuestions({ AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, AWS_SECRET_ACCESS_KEY }) {
  const config = {
    endpoint: AWS_ENDPOINT_URL,
    region: 'us-east-1',
    credentials: { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY },
  };
  // Suppresses the SDK's warning about Node versions.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const s3 = new S3Client(config);
  const sts = new STSClient(config);
  return async (count) => {
    const begin = performance.now();
    await sts.send(new GetCallerIdentityCommand({}));
    const { Buckets } = await s3.send(new ListBucketsCommand({}));
    if (Buckets.length !== count) throw new Error('Not every bucket is there.');
    for (const { Name: Bucket } of Buckets) {
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 }));
      await s3.send(new HeadObjectCommand({ Bucket, Key: Contents[0].Key }));
      const put = new PutObjectCommand({ Bucket, Key: 'is-this-allowed', Body: 'x', ContentMD5: '1B2M2Y8AsgTpgAmY7PhCfg==' });
      const refused = await s3.send(put).catch(({ name }) => name);
      if (refused !== 'BadDigest') throw new Error('Something was written.');
    }
    return performance.now() - begin;
  };
}
