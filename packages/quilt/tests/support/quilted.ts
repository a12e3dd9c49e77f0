/** The program with the pack loaded, a catalog and an AWS on loopback, and somebody who is logged in, or nobody. */
import { afterAll, onTestFinished } from 'vitest';
import { RawClient, type Version } from '../../../footbridge/tests/support/client.js';
import { packName } from '../../../footbridge/tests/support/environment.js';
import { createWorld, type World } from '../../../footbridge/tests/support/folders.js';
import { type AwsOptions, type AwsServer, MEMBER, OPERATOR, startAws } from './aws/index.js';
import { quiltFolderIn, writeQuiltFolder } from './quilt-home.js';
import { ADMIN_TOKEN, MEMBER_TOKEN, type RegistryOptions, type RegistryServer, startRegistry } from './registry/index.js';

export const PACK = ['--pack', packName('quilt')] as const;

/** Who uses the catalog. */
export type Person = 'administrator' | 'plain user' | 'nobody';
export const PEOPLE: readonly Person[] = ['administrator', 'plain user', 'nobody'];

const TOKENS: Readonly<Record<Person, string | undefined>> = {
  administrator: ADMIN_TOKEN,
  'plain user': MEMBER_TOKEN,
  nobody: undefined,
};

export interface Surroundings {
  readonly world: World;
  readonly aws: AwsServer;
  readonly registry: RegistryServer;
  /** What the program needs to find them. */
  readonly env: Readonly<Record<string, string>>;
  /** Sees to the end of something else, as to theirs. */
  readonly atEnd: NonNullable<SurroundingOptions['atEnd']>;
  /** Logs somebody in, as `quilt3` does, or out. */
  logIn(person: Person): Promise<void>;
  start(options?: {
    readonly version?: Version;
    readonly env?: Readonly<Record<string, string>>;
    readonly args?: readonly string[];
    /** Options of the pack, written to the configuration of the project. */
    readonly options?: object;
  }): Promise<RawClient>;
}

export interface SurroundingOptions {
  readonly aws?: AwsOptions;
  readonly registry?: RegistryOptions;
  readonly person?: Person;
  /** Whether the environment has the keys of AWS. Default: they are there unless nobody is logged in. */
  readonly hasKeys?: boolean;
  /** Sees to their end. Default: they end with the test. */
  readonly atEnd?: (end: () => void | Promise<void>) => void;
}

/** For what several tests share: it ends, the last first, when all of them are over. */
export function afterAllTests(): NonNullable<SurroundingOptions['atEnd']> {
  const ends: (() => void | Promise<void>)[] = [];
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });
  return (end) => void ends.push(end);
}

export async function surroundings(options: SurroundingOptions = {}): Promise<Surroundings> {
  const { atEnd = onTestFinished, person = 'administrator', hasKeys = person !== 'nobody' } = options;
  const world = createWorld(atEnd);
  const [aws, registry] = await Promise.all([startAws(options.aws), startRegistry(options.registry)]);
  atEnd(() => aws.close());
  atEnd(() => registry.close());
  const env = { ...reaching(aws), ...(hasKeys ? keysOf(OPERATOR) : {}) };
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
      const pack = chosen === undefined ? PACK : [];
      const where = { workingFolder: world.project, home: world.home };
      const client = await RawClient.start({ ...where, args: [...pack, ...args], env: { ...env, ...more }, ...rest });
      atEnd(async () => {
        await client.close();
        expectNoSecrets(client);
      });
      return client;
    },
  };
}

/** Whatever a test is about: what the program said holds nothing that it was trusted with. */
function expectNoSecrets({ lines, stderr }: RawClient): void {
  const said = [...lines, stderr].join('\n');
  for (const secret of SECRETS) if (said.includes(secret)) throw new Error(`The program told a secret: ${secret}`);
}

const SECRETS = [ADMIN_TOKEN, MEMBER_TOKEN, OPERATOR, MEMBER, 'refresh-token-5d1c'].flatMap((each) =>
  typeof each === 'string'
    ? [each]
    : [each.accessKeyId, each.secretAccessKey, ...(each.sessionToken === undefined ? [] : [each.sessionToken])],
);

/** Nothing else is asked, not even who this machine is in a cloud. */
function reaching({ url }: AwsServer): Record<string, string> {
  return { AWS_ENDPOINT_URL: url, AWS_EC2_METADATA_DISABLED: 'true' };
}

export function keysOf({ accessKeyId, secretAccessKey, sessionToken }: typeof OPERATOR): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
  };
}
