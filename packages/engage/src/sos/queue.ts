/** The queue of jobs: one at a time on the machine, in order of arrival, and at most one per owner. */
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { Records } from '../records.js';
import type { Job, JobRecords } from './job-records.js';

const TICKET = z.object({ job: z.string(), owner: z.string() });
type Ticket = z.infer<typeof TICKET>;

export interface JobQueueOptions {
  readonly stateFolder: string;
  readonly records: JobRecords;
  readonly isRunning: (job: Job) => Promise<boolean>;
}

export class JobQueue {
  readonly #tickets: Records<Ticket>;
  readonly #records: JobRecords;
  readonly #isRunning: (job: Job) => Promise<boolean>;

  constructor({ stateFolder, records, isRunning }: JobQueueOptions) {
    this.#tickets = new Records(join(stateFolder, 'job-turns'), TICKET);
    this.#records = records;
    this.#isRunning = isRunning;
  }

  /** Assigns the next number to a recorded job. Numbers only increase and are unique, so that all processes see the same order. */
  async enqueue(job: Job): Promise<number> {
    for (;;) {
      const next = Math.max(0, ...(await this.#numbers()).keys()) + 1;
      if (await this.#tickets.create(String(next), { job: job.id, owner: job.owner })) return next;
    }
  }

  /** Throws if the owner has another job before this one. */
  async assertOnlyJob(number: number, owner: string): Promise<void> {
    const other = await this.#findBefore(number, (ticket) => ticket.owner === owner);
    if (other === undefined) return;
    const action = `Do not start another one; call get_generate_sosreport_status with job_id "${other}".`;
    throw new Failure('validation_error', 'An sosreport is already being generated.', action, { job_id: other });
  }

  async isFirst(number: number): Promise<boolean> {
    return (await this.#findBefore(number, () => true)) === undefined;
  }

  /** Removes the numbers of removed jobs, except the highest, so that none is reused. */
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
      if (job !== undefined && (await this.#isRunning(job))) return job.id;
    }
    return undefined;
  }

  async #numbers(): Promise<ReadonlyMap<number, Ticket>> {
    return new Map([...(await this.#tickets.all())].map(([id, ticket]) => [Number(id), ticket]));
  }
}
