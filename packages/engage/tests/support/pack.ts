/** The components of the pack on one state folder. */
import { onTestFinished } from 'vitest';
import { References } from '../../src/references.js';
import { Artifacts } from '../../src/sos/artifacts.js';
import { Jobs } from '../../src/sos/jobs.js';
import { Consent, Sessions } from '../../src/workflow/consent.js';
import { temporaryFolder } from './folder.js';

export interface Clock {
  now: number;
}

export async function openPack({
  stateFolder,
  timeoutMs = 60_000,
  maxBytes,
}: {
  stateFolder?: string;
  timeoutMs?: number;
  maxBytes?: number;
} = {}) {
  const folder = stateFolder ?? (await temporaryFolder());
  const clock: Clock = { now: Date.now() };
  const now = () => clock.now;
  const references = await References.open(folder);
  const sessions = new Sessions(folder, now);
  const consent = new Consent({ references, sessions, stateFolder: folder, now });
  const jobs = new Jobs({ stateFolder: folder, references, timeoutMs, now });
  const artifacts = new Artifacts({ stateFolder: folder, references, sessions, now, ...(maxBytes === undefined ? {} : { maxBytes }) });
  onTestFinished(() => jobs.close());
  return { stateFolder: folder, clock, references, sessions, consent, jobs, artifacts };
}
