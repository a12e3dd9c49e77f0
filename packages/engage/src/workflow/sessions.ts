/** Workflow sessions: the selected product and the current step. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { Records } from '../records.js';

const TTL_MS = 24 * 60 * 60 * 1000;
const MAX_PER_OWNER = 20;

const SESSION = z.object({
  id: z.string(),
  owner: z.string(),
  product: z.literal('linux'),
  step: z.enum(['sos-report', 'jira-attach']),
  createdAt: z.number(),
  expiresAt: z.number(),
});

export type Session = Readonly<z.infer<typeof SESSION>>;
export type Step = Session['step'];

const SELECT = 'Call select_engage_product with product "linux"';

export class Sessions {
  readonly #records: Records<Session>;
  readonly #now: () => number;

  constructor(stateFolder: string, now: () => number = Date.now) {
    this.#records = new Records(join(stateFolder, 'sessions'), SESSION);
    this.#now = now;
  }

  /** Starts a session. Beyond the limit, the owner's oldest are removed. */
  async select(owner: string, product: string): Promise<Session> {
    if (product !== 'linux') {
      throw new Failure('validation_error', 'Only the product "linux" is supported.', `${SELECT}, or stop here.`);
    }
    const createdAt = this.#now();
    const session: Session = {
      id: randomUUID(),
      owner,
      product,
      step: 'sos-report',
      createdAt,
      expiresAt: createdAt + TTL_MS,
    };
    await this.#records.sweep((record) => record.expiresAt <= createdAt);
    await this.#records.put(session.id, session);
    const surplus = (await this.#newestFirst(owner)).slice(MAX_PER_OWNER);
    for (const old of surplus) await this.#records.remove(old.id);
    return session;
  }

  /** Without an id, the owner's latest. The error is the same for an unknown, expired and another owner's session. */
  async find(owner: string, id: string | undefined): Promise<Session> {
    if (id === undefined) {
      const [newest] = await this.#newestFirst(owner);
      if (newest !== undefined) return newest;
      throw new Failure('product_selection_required', 'No product has been selected yet.', `${SELECT} first.`);
    }
    const session = await this.#records.get(id);
    if (session !== undefined && session.owner === owner && session.expiresAt > this.#now()) return session;
    const action = `${SELECT}, and use the workflow_session_id it returns.`;
    throw new Failure('workflow_session_invalid', 'The workflow session does not exist or has expired.', action);
  }

  async moveTo(session: Session, step: Step): Promise<Session> {
    if (session.step === step) return session;
    const moved = { ...session, step };
    await this.#records.put(session.id, moved);
    return moved;
  }

  async #newestFirst(owner: string): Promise<readonly Session[]> {
    const live = [...(await this.#records.all()).values()].filter((session) => session.owner === owner && session.expiresAt > this.#now());
    return live.sort((a, b) => b.createdAt - a.createdAt);
  }
}
