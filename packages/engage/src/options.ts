/** What whoever runs the server decides. */
import { stateFolder } from 'footbridge/state';
import * as z from 'zod/v4';
import { jiraHost } from './jira/address.js';
import { operatorKey } from './vault/key.js';

const HOUR_MS = 3600 * 1000;
const MIB = 1024 * 1024;

/** Beside the pack's name in the configuration. */
export const PackOptions = z
  .strictObject({
    folder: z.string().min(1).optional().describe('Where connections, jobs and archives are kept.'),
    jiraHosts: z
      .array(z.string().refine((text) => jiraHost(text) !== undefined, 'write a host, such as jira.example.org, or jira.example.org:8443'))
      .min(1)
      .optional()
      .describe('The only Jira servers that may be connected: each by its host, with its port where that is not the usual one.'),
    connectionHours: z.number().positive().max(720).default(24).describe('How long a connection to Jira lasts.'),
    maxArtifactMib: z.number().positive().max(2048).default(25).describe('How large a file may be that is attached.'),
  })
  .describe('Options of @footbridge/engage');

export interface Settings {
  readonly stateFolder: string;
  readonly jiraHosts: readonly string[] | undefined;
  readonly connectionMs: number;
  readonly maxArtifactBytes: number;
  readonly sosTimeoutMs: number;
  /** Absent where no secret may be kept. */
  readonly key: Buffer | undefined;
}

/** `base`: where relative names begin. Throws an error for people for what cannot be meant; it never repeats the key. */
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
const MOST_SECONDS = 24 * 3600;

function seconds(value: string | undefined): number {
  if (value === undefined || value === '') return SOS_SECONDS;
  const number = Number(value);
  if (number > 0 && number <= MOST_SECONDS) return number;
  throw new Error(`FOOTBRIDGE_ENGAGE_SOS_TIMEOUT has to be a number of seconds, such as ${SOS_SECONDS}.`);
}
