/** The program with the pack, and a registry and AWS on loopback. */
import { afterAll, onTestFinished } from 'vitest';
import { RawClient, type Version } from '../../../footbridge/tests/support/client.js';
import { packName } from '../../../footbridge/tests/support/environment.js';
import { createWorld, type World } from '../../../footbridge/tests/support/folders.js';
import { type AwsOptions, type AwsServer, MEMBER, OPERATOR, startAws } from './aws/index.js';
import { quiltFolderIn, writeQuiltFolder } from './quilt-home.js';
import { ADMIN_TOKEN, MEMBER_TOKEN, type RegistryOptions, type RegistryServer, startRegistry } from './registry/index.js';

/** The option that loads the pack. */
export const pack = (): readonly string[] => ['--pack', packName('quilt')];

export type Person = 'administrator' | 'plain user' | 'nobody';
export const PEOPLE: readonly Person[] = ['administrator', 'plain user', 'nobody'];

const TOKENS: Readonly<Record<Person, string | undefined>> = {
  administrator: ADMIN_TOKEN,
  'plain user': MEMBER_TOKEN,
  nobody: undefined,
};

export interface TestEnvironment {
  readonly world: World;
  readonly aws: AwsServer;
  readonly registry: RegistryServer;
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Registers a cleanup function. */
  readonly atEnd: NonNullable<EnvironmentOptions['atEnd']>;
  /** Logs in or out, as `quilt3` does. */
  logIn(person: Person): Promise<void>;
  start(options?: {
    readonly version?: Version;
    readonly env?: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
    /** Options of the pack. */
    readonly options?: object;
  }): Promise<RawClient>;
}

export interface EnvironmentOptions {
  readonly aws?: AwsOptions;
  readonly registry?: RegistryOptions;
  readonly person?: Person;
  /** Whether the environment has AWS keys. Default: unless nobody is logged in. */
  readonly hasKeys?: boolean;
  /** Registers cleanup functions. Default: `onTestFinished`. */
  readonly atEnd?: (end: () => void | Promise<void>) => void;
}

/** Cleans up after all tests of a block, in reverse order. */
export function afterAllTests(): NonNullable<EnvironmentOptions['atEnd']> {
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return (end) => void ends.push(end);
}

export async function startEnvironment(options: EnvironmentOptions = {}): Promise<TestEnvironment> {
  const { atEnd = onTestFinished, person = 'administrator', hasKeys = person !== 'nobody' } = options;
  const world = createWorld(atEnd);
  const [aws, registry] = await Promise.all([startAws(options.aws), startRegistry(options.registry)]);
  atEnd(() => aws.close());
  atEnd(() => registry.close());
  const env = { ...awsEndpoint(aws), ...(hasKeys ? keysOf(OPERATOR) : {}) };
  const logIn = (who: Person) => {
    const token = TOKENS[who];
    const login = { catalogUrl: registry.url, registryUrl: registry.url, ...(token === undefined ? {} : { token }) };
    return writeQuiltFolder(quiltFolderIn(world.home), login);
  };
  await logIn(person);
  return {
    world,
    aws,
    registry,
    env,
    atEnd,
    logIn,
    start: async ({ args = [], env: more = {}, options: chosen, ...rest } = {}) => {
      if (chosen !== undefined) world.write('project/footbridge.json', JSON.stringify({ packs: [[packName('quilt'), chosen]] }));
      const option = chosen === undefined ? pack() : [];
      const where = { workingFolder: world.project, home: world.home };
      const client = await RawClient.start({ ...where, args: [...option, ...args], env: { ...env, ...more }, ...rest });
      atEnd(async () => {
        await client.close();
        expectNoSecrets(client);
      });
      return client;
    },
  };
}

/** In every test, the output of the program must not contain a secret. */
function expectNoSecrets({ lines, stderr }: RawClient): void {
  const output = [...lines, stderr].join('\n');
  for (const secret of SECRETS) if (output.includes(secret)) throw new Error(`The program printed a secret: ${secret}`);
}

const SECRETS = [ADMIN_TOKEN, MEMBER_TOKEN, OPERATOR, MEMBER, 'refresh-token-5d1c'].flatMap((each) =>
  typeof each === 'string'
    ? [each]
    : [each.accessKeyId, each.secretAccessKey, ...(each.sessionToken === undefined ? [] : [each.sessionToken])],
);

function awsEndpoint({ url }: AwsServer): Record<string, string> {
  return { AWS_ENDPOINT_URL: url, AWS_EC2_METADATA_DISABLED: 'true' };
}

export function keysOf({ accessKeyId, secretAccessKey, sessionToken }: typeof OPERATOR): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
  };
}
