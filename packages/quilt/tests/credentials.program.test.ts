/** Where the credentials for AWS and the region come from, and that new ones are found without a restart. */
import { describe, expect, test } from 'vitest';
import type { RawClient } from '../../footbridge/tests/support/client.js';
import { MEMBER, OPERATOR, type Principal } from './support/aws/index.js';
import { dataOf, failureOf } from './support/outcomes.js';
import { quiltFolderIn, writeQuiltFolder } from './support/quilt-home.js';
import { keysOf, surroundings } from './support/quilted.js';
import { type AwsCredentials, MEMBER_TOKEN } from './support/registry/index.js';

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

function lent({ accessKeyId, secretAccessKey, sessionToken = '' }: Principal): AwsCredentials {
  return { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken, Expiration: inAnHour() };
}

describe('the credentials for AWS', () => {
  const discovered = async (client: RawClient) => {
    const { credentials_from: from, identity, region } = await dataOf(client, 'permissions://discover');
    return { from, who: identity.name, region };
  };

  test('are those that the registry lends, and are renewed when they were refused', async () => {
    const { aws, registry, start } = await surroundings({ person: 'plain user', hasKeys: false });
    registry.state.credentials = lent(MEMBER);
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
    registry.state.credentials = lent(renewed);
    expect(await dataOf(client, 'athena://databases')).toMatchObject({ count: 4 });
  });

  test('are those that quilt3 was lent last, where the registry lends none and they are still good', async () => {
    const { registry, start, world } = await surroundings({ person: 'plain user', hasKeys: false });
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
      details: 'The registry lends no AWS credentials (status 404).',
      retryable: false,
    });
    registry.misbehave('credentials', { kind: 'status', status: 503 });
    expect(await failureOf(client, 'athena://databases')).toMatchObject({ error: 'ResourceExecutionError', retryable: true });
    registry.behave();
    await keep(inAnHour());
    expect(await discovered(client)).toMatchObject({ from: 'quilt', who: 'ReadWriteQuiltBucket' });
  });

  test('are those of the environment before those that the registry lends', async () => {
    const { registry, start } = await surroundings({ person: 'plain user' });
    registry.state.credentials = lent(MEMBER);
    expect(await discovered(await start())).toMatchObject({ from: 'environment', who: 'operator' });
    expect(registry.requests.map(({ path }) => path)).not.toContain('/api/auth/get_credentials');
  });

  test('are those that the configuration chooses', async () => {
    const quilt = await surroundings({ person: 'plain user' });
    quilt.registry.state.credentials = lent(MEMBER);
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
    expect(await failureOf(none, 'athena://databases')).toMatchObject({ details: expect.stringContaining('lends no AWS credentials') });
  });

  test('in the files of AWS are looked for anew once they have expired', async () => {
    const { aws, start, world } = await surroundings({ person: 'nobody' });
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

  test('and the region are those of the profile that is named', async () => {
    const { aws, start, world } = await surroundings({ person: 'nobody', aws: { checksRegions: true } });
    world.remove('home/.local');
    world.write('home/.aws/credentials', iniOf('default', { ...OPERATOR, accessKeyId: 'AKIANOBODY0000000001' }) + iniOf('work', MEMBER));
    world.write('home/.aws/config', '[default]\nregion = us-west-2\n[profile work]\nregion = eu-central-1\n');
    const client = await start({ env: { AWS_PROFILE: 'work' } });
    expect(await discovered(client)).toEqual({ from: 'environment', who: 'ReadWriteQuiltBucket', region: 'eu-central-1' });
    const scopes = aws.requests.filter(({ service }) => service === 'sts').map(({ headers }) => headers.authorization);
    expect(scopes).toEqual([expect.stringContaining('/eu-central-1/sts/')]);
  });

  test('of the environment and its region go before all', async () => {
    const { start, world } = await surroundings({ person: 'nobody' });
    world.write('home/.aws/config', '[default]\nregion = us-west-2\n');
    const client = await start({ env: { ...keysOf(OPERATOR), AWS_REGION: 'ap-south-1' } });
    expect(await discovered(client)).toEqual({ from: 'environment', who: 'operator', region: 'ap-south-1' });
  });
});

function iniOf(profile: string, { accessKeyId, secretAccessKey, sessionToken }: Principal): string {
  const session = sessionToken === undefined ? '' : `aws_session_token = ${sessionToken}\n`;
  return `[${profile}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n${session}`;
}
