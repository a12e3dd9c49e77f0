import { readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/v4';
import { systemCode } from '../../errors.js';
import { parseJson } from '../../json.js';
import { digestOf } from '../../sources/skills/digest.js';
import { createPrivate, stateFolder, writePrivate } from '../../state/index.js';
import { VERSION } from '../../version.js';
import type { Surroundings } from '../io.js';

type Environment = Pick<Surroundings, 'env'>;

const fields = z.record(z.string(), z.unknown());

const schema = z.object({
  format: z.literal(1),
  footbridge: z.string(),
  time: z.string(),
  file: z.string(),
  existed: z.boolean(),
  /** Base64 of the bytes before. */
  before: z.base64(),
  /** Digest of the bytes after. */
  after: z.string(),
  /** Folders created for it, the innermost first. */
  folders: z.array(z.string()),
  wrapped: z.record(z.string(), z.object({ before: fields, after: fields })),
});

export type InstallRecord = z.infer<typeof schema>;

/** `real` is the file after resolving links. */
export function recordFile(real: string, { env }: Environment): string {
  return join(stateFolder(undefined, '', 'install', env), `${digestOf(real).replace('sha256:', '').slice(0, 32)}.json`);
}

/** Undefined if it is missing or invalid. */
export async function readRecord(real: string, io: Environment): Promise<InstallRecord | undefined> {
  const text = await readFile(recordFile(real, io), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : schema.safeParse(parseJson(text));
  return parsed?.success === true && parsed.data.file === real ? parsed.data : undefined;
}

export async function writeRecord(record: Omit<InstallRecord, 'format' | 'footbridge' | 'time'>, io: Environment): Promise<void> {
  const whole: InstallRecord = { format: 1, footbridge: VERSION, time: new Date().toISOString(), ...record };
  await writePrivate(recordFile(record.file, io), `${JSON.stringify(whole, undefined, 2)}\n`);
}

export async function removeRecord(real: string, io: Environment): Promise<void> {
  await rm(recordFile(real, io), { force: true });
}

/** A lock this old is left over from an interrupted run. */
const LOCK_LIFE_MS = 60_000;

/**
 * Runs `work` while no other process changes the file or its record. Undefined if another process does.
 * Throws if the record cannot be written.
 */
export async function alone<T>(real: string, io: Environment, work: () => Promise<T>): Promise<T | undefined> {
  const lock = `${recordFile(real, io)}.lock`;
  const { mtimeMs = Date.now() } = (await stat(lock).catch(() => undefined)) ?? {};
  if (Date.now() - mtimeMs > LOCK_LIFE_MS) await rm(lock, { force: true });
  const isOurs = await createPrivate(lock, '').catch((cause: unknown) => {
    throw new Error(`The backup cannot be written to ${dirname(lock)} (${systemCode(cause) ?? 'unknown reason'}).`);
  });
  if (!isOurs) return undefined;
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

export function bytesBefore({ before }: InstallRecord): Uint8Array {
  return Buffer.from(before, 'base64');
}
