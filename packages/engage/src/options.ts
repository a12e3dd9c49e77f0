/** Options of the pack and its environment variables. */
import { stateFolder } from 'footbridge/state';
import * as z from 'zod/v4';
import { jiraHost } from './jira/base-url.js';
import { operatorKey } from './vault/encryption.js';

const HOUR_MS = 3600 * 1000;
const MIB = 1024 * 1024;

export const PackOptions = z
  .strictObject({
    folder: z.string().min(1).optional().describe('Folder for connections, jobs and archives.'),
    jiraHosts: z
      .array(
        z.string().refine((text) => jiraHost(text) !== undefined, 'expected a host, such as jira.example.org or jira.example.org:8443'),
      )
      .min(1)
      .optional()
      .describe(
        'Allowed Jira servers: host, or host:port for a non-default port. Default: any; for a server for other machines, any with a public address.',
      ),
    connectionHours: z.number().positive().max(720).default(24).describe('Lifetime of a Jira connection.'),
    maxArtifactMib: z.number().positive().max(2048).default(25).describe('Maximum size of an attachment.'),
  })
  .describe('Options of @footbridge/engage');

export interface Settings {
  readonly stateFolder: string;
  readonly jiraHosts: readonly string[] | undefined;
  readonly connectionMs: number;
  readonly maxArtifactBytes: number;
  readonly sosTimeoutMs: number;
  /** Without a key, no secrets are stored. */
  readonly key: Buffer | undefined;
}

/** Relative folders are resolved against `base`. Errors never contain the key. */
export function settingsOf(options: z.output<typeof PackOptions>, environment: NodeJS.ProcessEnv, base: string): Settings {
  return {
    stateFolder: stateFolder(options.folder, base, 'engage', environment),
    jiraHosts: options.jiraHosts,
    connectionMs: options.connectionHours * HOUR_MS,
    maxArtifactBytes: options.maxArtifactMib * MIB,
    sosTimeoutMs: seconds(environment['FOOTBRIDGE_ENGAGE_SOS_TIMEOUT']) * 1000,
    key: operatorKey(environment['FOOTBRIDGE_ENGAGE_KEY']),
  };
}

const SOS_SECONDS = 600;
const MAX_SECONDS = 24 * 3600;

function seconds(value: string | undefined): number {
  if (value === undefined || value === '') return SOS_SECONDS;
  const number = Number(value);
  if (number > 0 && number <= MAX_SECONDS) return number;
  throw new Error(`FOOTBRIDGE_ENGAGE_SOS_TIMEOUT must be a number of seconds between 0 and ${MAX_SECONDS}, such as ${SOS_SECONDS}.`);
}
