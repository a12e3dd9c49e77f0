/** A person's consent to collecting one archive: a single-use, short-lived token bound to a caller and session. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Failure, type FailureCode } from '../failure.js';
import { Records } from '../records.js';
import type { Reference, References } from '../references.js';

const SCOPE = 'sosreport:generate';
const STEP = 'sos-report';
const TTL_MS = 120_000;

const UNUSED = z.object({ expiresAt: z.number() });

export interface ConsentOptions {
  readonly references: References;
  readonly sessions: Sessions;
  readonly stateFolder: string;
  readonly now?: () => number;
}

export class Consent {
  readonly #references: References;
  readonly #sessions: Sessions;
  /** One record for each token that can be redeemed. A removed record never returns, so that no change of the clock revives a token. */
  readonly #unused: Records<z.infer<typeof UNUSED>>;
  readonly #now: () => number;

  constructor({ references, sessions, stateFolder, now = Date.now }: ConsentOptions) {
    this.#references = references;
    this.#sessions = sessions;
    this.#unused = new Records(join(stateFolder, 'unused-consents'), UNUSED);
    this.#now = now;
  }

  async mint(owner: string, { permissionGranted, sessionId }: { permissionGranted: unknown; sessionId?: string | undefined }) {
    if (permissionGranted !== true) {
      const action = 'Ask the person; after they clearly agree, call mint_engage_consent_token with permission_granted: true.';
      throw refusal('explicit_permission_required', 'The person has not agreed to collecting the sosreport.', action);
    }
    const session = await this.#sessions.moveTo(await this.#sessions.find(owner, sessionId), STEP);
    const now = this.#now();
    const expiresAt = now + TTL_MS;
    const { id, token } = this.#references.issueOnce(SCOPE, { owner, session: session.id, step: STEP }, expiresAt);
    await this.#unused.sweep((record) => record.expiresAt <= now);
    await this.#unused.put(id, { expiresAt });
    return { token, expiresAt, session };
  }

  /** Redeems a token. If this throws, the token is unchanged; `giveBack` makes it valid again, if nothing was collected with it. */
  async redeem(owner: string, token: string | undefined, sessionId: string | undefined) {
    const now = this.#now();
    await this.#unused.sweep((record) => record.expiresAt <= now);
    const reference = this.#check(owner, token, sessionId, now);
    if ((await this.#unused.get(reference.id)) === undefined) throw replayed();
    const session = await this.#sessions.find(owner, reference.claims['session'] ?? '');
    if (session.step !== reference.claims['step']) {
      const action = 'For another archive, ask the person again, then call mint_engage_consent_token.';
      throw refusal('consent_wrong_step', 'The workflow is past this step: an archive was fetched since the consent.', action);
    }
    // Only one of several concurrent calls with the same token succeeds.
    if (!(await this.#unused.take(reference.id))) throw replayed();
    return { session, giveBack: () => this.#unused.put(reference.id, { expiresAt: reference.expiresAt }) };
  }

  #check(owner: string, token: string | undefined, sessionId: string | undefined, now: number): Reference {
    if (token === undefined || token === '') {
      const action = 'Ask the person; after they clearly agree, call mint_engage_consent_token and pass its token.';
      throw refusal('consent_missing', 'A consent token is required to collect an sosreport.', action);
    }
    const reference = this.#references.read(token);
    if (reference === undefined) throw refusal('consent_invalid', 'The consent token is invalid.');
    if (reference.scope !== SCOPE) throw refusal('consent_wrong_scope', 'This reference is not a consent token.');
    if (reference.claims['owner'] !== owner) throw refusal('consent_wrong_user', 'The consent was given by another user.');
    if (sessionId !== undefined && sessionId !== reference.claims['session']) {
      const action = 'Pass the workflow_session_id it was minted with, or call mint_engage_consent_token for this session.';
      throw refusal('consent_session_mismatch', 'The consent was given in another workflow session.', action);
    }
    if (reference.expiresAt <= now) throw refusal('consent_expired', 'The consent has expired; it is valid for 120 seconds.');
    return reference;
  }
}

function replayed(): Failure {
  return refusal('consent_replayed', 'The consent was already used; each is valid for one archive.');
}

function refusal(
  code: FailureCode,
  message: string,
  action = 'Ask whether the person still agrees, then call mint_engage_consent_token for a new token.',
): Failure {
  return new Failure(code, message, action);
}

const SESSION_TTL_MS = 24 * 60 * 60 * 1000;
const MAX_PER_OWNER = 20;

const SESSION = z.object({
  id: z.string(),
  owner: z.string(),
  product: z.literal('linux'),
  step: z.enum(['sos-report', 'jira-attach']),
  createdAt: z.number(),
  expiresAt: z.number(),
});

type Session = Readonly<z.infer<typeof SESSION>>;
type Step = Session['step'];

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
    const expiresAt = createdAt + SESSION_TTL_MS;
    const session: Session = { id: randomUUID(), owner, product, step: 'sos-report', createdAt, expiresAt };
    await this.#records.sweep((record) => record.expiresAt <= createdAt);
    await this.#records.put(session.id, session);
    for (const old of (await this.#newestFirst(owner)).slice(MAX_PER_OWNER)) await this.#records.remove(old.id);
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
