/** Sources of AWS credentials and region, and their renewal without a restart. */
import { describe, expect, test } from 'vitest';
import type { RawClient } from '../../footbridge/tests/support/client.js';
import { useSources } from '../../footbridge/tests/support/start.js';
import { MEMBER, OPERATOR, type Principal } from './support/aws/index.js';
import { keysOf, startEnvironment } from './support/environment.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { dataOf, failureOf } from './support/reads.js';
import { type AwsCredentials, MEMBER_TOKEN } from './support/registry/index.js';

useSources();

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

function issued({ accessKeyId, secretAccessKey, sessionToken = '' }: Principal): AwsCredentials {
  return { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration: inAnHour() };
}

describe('AWS credentials', () => {
  const discovered = async (client: RawClient) => {
    const { credentials_from: from, identity, region } = await dataOf(client, 'permissions://discover');
    return { from, who: identity.name, region };
  };

  test('are issued by the registry, and renewed after they were rejected', async () => {
    const { aws, registry, start } = await startEnvironment({ person: 'plain user', hasKeys: false });
    registry.state.credentials = issued(MEMBER);
    const client = await start();
    expect(await dataOf(client, 'permissions://discover')).toMatchObject({
      credentials_from: 'quilt',
      identity: { type: 'assumed-role', name: 'ReadWriteQuiltBucket', arn: MEMBER.arn },
    });
    const renewed = { ...MEMBER, accessKeyId: 'ASIARENEWED000000001', sessionToken: 'renewed-session-token-0001' };
    aws.world.principals = [renewed];
    expect(await failureOf(client, 'athena://databases')).toMatchObject({
      error: 'Unauthorized',
      message: expect.stringContaining('requires a login'),
    });
    registry.state.credentials = issued(renewed);
    expect(await dataOf(client, 'athena://databases')).toMatchObject({ count: 4 });
  });

  test('are those stored by quilt3 if the registry issues none and they are valid', async () => {
    const { registry, start, world } = await startEnvironment({ person: 'plain user', hasKeys: false });
    const keep = (expiryTime: string) => {
      const { accessKeyId: accessKey, secretAccessKey: secretKey, sessionToken: token = '' } = MEMBER;
      const login = { catalogUrl: registry.url, registryUrl: registry.url, token: MEMBER_TOKEN };
      return writeQuiltFolder(quiltFolderIn(world.home), { ...login, credentials: { accessKey, secretKey, token, expiryTime } });
    };
    await keep('2020-01-01T00:00:00+00:00');
    const client = await start();
    const failure = await failureOf(client, 'athena://databases');
    expect(failure).toMatchObject({
      error: 'ResourceExecutionError',
      details: 'The registry issues no AWS credentials (HTTP 404).',
      retryable: false,
    });
    registry.misbehave('credentials', { kind: 'status', status: 503 });
    expect(await failureOf(client, 'athena://databases')).toMatchObject({ error: 'ResourceExecutionError', retryable: true });
    registry.behave();
    await keep(inAnHour());
    expect(await discovered(client)).toMatchObject({ from: 'quilt', who: 'ReadWriteQuiltBucket' });
  });

  test('are taken from the environment before the registry', async () => {
    const { registry, start } = await startEnvironment({ person: 'plain user' });
    registry.state.credentials = issued(MEMBER);
    expect(await discovered(await start())).toMatchObject({ from: 'environment', who: 'operator' });
    expect(registry.requests.map(({ path }) => path)).not.toContain('/api/auth/get_credentials');
  });

  test('are chosen by the option', async () => {
    const quilt = await startEnvironment({ person: 'plain user' });
    quilt.registry.state.credentials = issued(MEMBER);
    expect(await discovered(await quilt.start({ options: { credentials: 'quilt' } }))).toMatchObject({
      from: 'quilt',
      who: 'ReadWriteQuiltBucket',
    });
    quilt.world.write('home/.aws/credentials', iniOf('default', OPERATOR));
    const withoutKeys = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' };
    const own = await quilt.start({ options: { credentials: 'aws' }, env: withoutKeys });
    expect(await discovered(own)).toMatchObject({ from: 'aws configuration', who: 'operator' });
    quilt.registry.state.credentials = undefined;
    const none = await quilt.start({ options: { credentials: 'quilt' }, env: withoutKeys });
    expect(await failureOf(none, 'athena://databases')).toMatchObject({ details: expect.stringContaining('issues no AWS credentials') });
  });

  test('are read from the AWS files again after they expired', async () => {
    const { aws, start, world } = await startEnvironment({ person: 'nobody' });
    world.write('home/.aws/credentials', iniOf('default', MEMBER));
    aws.world.principals = [OPERATOR, { ...MEMBER, expired: true }];
    const client = await start();
    expect(await failureOf(client, 'athena://databases')).toMatchObject({
      error: 'Unauthorized',
      details: 'The AWS credentials have expired.',
    });
    world.write('home/.aws/credentials', iniOf('default', OPERATOR));
    expect(await dataOf(client, 'athena://databases')).toMatchObject({ count: 4 });
    expect(await discovered(client)).toMatchObject({ from: 'aws configuration', who: 'operator' });
  });

  test('and region are taken from AWS_PROFILE', async () => {
    const { aws, start, world } = await startEnvironment({ person: 'nobody', aws: { checksRegions: true } });
    world.remove('home/.local');
    world.write('home/.aws/credentials', iniOf('default', { ...OPERATOR, accessKeyId: 'AKIANOBODY0000000001' }) + iniOf('work', MEMBER));
    world.write('home/.aws/config', '[default]\nregion = us-west-2\n[profile work]\nregion = eu-central-1\n');
    const client = await start({ env: { AWS_PROFILE: 'work' } });
    expect(await discovered(client)).toEqual({ from: 'environment', who: 'ReadWriteQuiltBucket', region: 'eu-central-1' });
    const scopes = aws.requests.filter(({ service }) => service === 'sts').map(({ headers }) => headers.authorization);
    expect(scopes).toEqual([expect.stringContaining('/eu-central-1/sts/')]);
  });

  test('and region are taken from the environment first', async () => {
    const { start, world } = await startEnvironment({ person: 'nobody' });
    world.write('home/.aws/config', '[default]\nregion = us-west-2\n');
    const client = await start({ env: { ...keysOf(OPERATOR), AWS_REGION: 'ap-south-1' } });
    expect(await discovered(client)).toEqual({ from: 'environment', who: 'operator', region: 'ap-south-1' });
  });
});

function iniOf(profile: string, { accessKeyId, secretAccessKey, sessionToken }: Principal): string {
  const session = sessionToken === undefined ? '' : `aws_session_token = ${sessionToken}\n`;
  return `[${profile}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n${session}`;
}
