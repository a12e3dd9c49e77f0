/** Who may run now: one job at a time on the machine, in the order they came, one at most for each owner. */
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Records } from '../records.js';
import { otherJobRuns } from './job-failures.js';
import type { Job, JobRecords } from './job-records.js';

const TICKET = z.object({ job: z.string(), owner: z.string() });
type Ticket = z.infer<typeof TICKET>;

export interface TurnsOptions {
  readonly stateFolder: string;
  readonly records: JobRecords;
  /** Whether a job is still with us; ends it if the process that ran it is gone. */
  readonly isUnderWay: (job: Job) => Promise<boolean>;
}

export class Turns {
  readonly #tickets: Records<Ticket>;
  readonly #records: JobRecords;
  readonly #isUnderWay: (job: Job) => Promise<boolean>;

  constructor({ stateFolder, records, isUnderWay }: TurnsOptions) {
    this.#tickets = new Records(join(stateFolder, 'job-turns'), TICKET);
    this.#records = records;
    this.#isUnderWay = isUnderWay;
  }

  /**
   * Draws the next number for a job that is recorded already. Numbers only rise and each is given once, so that of two
   * processes that come at the same time both see the same order.
   */
  async draw(job: Job): Promise<number> {
    for (;;) {
      const next = Math.max(0, ...(await this.#numbers()).keys()) + 1;
      if (await this.#tickets.create(String(next), { job: job.id, owner: job.owner })) return next;
    }
  }

  /** Fails when the owner has another one before it. */
  async assertOnlyOne(number: number, owner: string): Promise<void> {
    const other = await this.#findBefore(number, (ticket) => ticket.owner === owner);
    if (other !== undefined) throw otherJobRuns(other);
  }

  async isFirst(number: number): Promise<boolean> {
    return (await this.#findBefore(number, () => true)) === undefined;
  }

  /** Forgets the numbers of jobs that are forgotten; the highest stays, so that none is given twice. */
  async sweep(): Promise<void> {
    const numbers = await this.#numbers();
    const highest = Math.max(0, ...numbers.keys());
    for (const [number, { job }] of numbers) {
      if (number !== highest && (await this.#records.jobs.get(job)) === undefined) await this.#tickets.remove(String(number));
    }
    await this.#tickets.sweep(() => false);
  }

  async #findBefore(number: number, matches: (ticket: Ticket) => boolean): Promise<string | undefined> {
    for (const [earlier, ticket] of await this.#numbers()) {
      if (earlier >= number || !matches(ticket)) continue;
      const job = await this.#records.jobs.get(ticket.job);
      if (job !== undefined && (await this.#isUnderWay(job))) return job.id;
    }
    return undefined;
  }

  async #numbers(): Promise<ReadonlyMap<number, Ticket>> {
    return new Map([...(await this.#tickets.all())].map(([id, ticket]) => [Number(id), ticket]));
  }
}
