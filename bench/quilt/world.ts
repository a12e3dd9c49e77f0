/** A process with the fake catalog and AWS of the pack's tests. Prints their addresses as JSON, and runs until stdin ends. */
import { OPERATOR, startAws } from '../../packages/quilt/tests/support/aws/index.js';
import { ADMIN_TOKEN, startRegistry } from '../../packages/quilt/tests/support/registry/index.js';

/** Arguments: the number of buckets, and how many milliseconds each takes to respond. */
const [buckets, delayMs] = process.argv.slice(2).map(Number);

const [aws, registry] = await Promise.all([startAws(), startRegistry()]);
if (buckets !== undefined) {
  aws.world.buckets = Array.from({ length: buckets }, (_, index) => ({
    name: `bench-${index}`,
    region: 'us-east-1',
    created: new Date(0),
    objects: new Map([['README.md', Buffer.from('bench')]]),
    ...(delayMs === undefined ? {} : { delayMs }),
  }));
  registry.state.buckets = [];
}

process.stdout.write(
  `${JSON.stringify({
    AWS_ENDPOINT_URL: aws.url,
    AWS_ACCESS_KEY_ID: OPERATOR.accessKeyId,
    AWS_SECRET_ACCESS_KEY: OPERATOR.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    QUILT_CATALOG_URL: registry.url,
    QUILT_REGISTRY_URL: registry.url,
    QUILT_ACCESS_TOKEN: ADMIN_TOKEN,
  })}\n`,
);
process.stdin.resume().once('end', () => process.exit());
