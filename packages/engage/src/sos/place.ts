/** Where a process runs. Its number means something there only, while the state folder may be shared more widely. */
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as z from 'zod/v4';

export const PLACE = z.object({
  /** Its id and its name: the id alone comes along when an image is copied. */
  machine: z.string(),
  /** Another one each time the machine starts; empty where that is not told. */
  boot: z.string(),
  /** Containers on one machine have process numbers of their own. */
  namespace: z.string(),
});
export type Place = Readonly<z.infer<typeof PLACE>>;

export async function ownPlace(): Promise<Place> {
  const [id, boot, namespace] = await Promise.all([
    readFile('/etc/machine-id', 'utf8').catch(() => ''),
    bootId(),
    readlink('/proc/self/ns/pid').catch(() => ''),
  ]);
  return { machine: `${id.trim()}/${hostname()}`, boot, namespace };
}

/** What can be said from here of a process there: that it is gone, that it can be looked for, or nothing. */
export async function viewOf(there: Place): Promise<'gone' | 'visible' | 'hidden'> {
  const here = await ownPlace();
  if (there.boot !== here.boot) return there.machine === here.machine ? 'gone' : 'hidden';
  return there.namespace === here.namespace ? 'visible' : 'hidden';
}

export async function bootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}
