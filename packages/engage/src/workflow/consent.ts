/** A person's consent to collecting one archive: a single-use, short-lived token bound to a caller and session. */
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Failure, type FailureCode } from '../failure.js';
import { Records } from '../records.js';
import type { Reference, References } from '../references.js';
import type { Session, Sessions } from './sessions.js';

const SCOPE = 'sosreport:generate';
const STEP = 'sos-report';
const TTL_MS = 120_000;

const USED = z.object({ expiresAt: z.number() });

export interface ConsentOptions {
  readonly references: References;
  readonly sessions: Sessions;
  readonly stateFolder: string;
  readonly now?: () => number;
}

export interface MintedConsent {
  readonly token: string;
  readonly expiresAt: number;
  readonly session: Session;
}

export interface RedeemedConsent {
  readonly session: Session;
  /** Makes the token valid again, if nothing was collected with it. */
  giveBack(): Promise<void>;
}

export class Consent {
  readonly #references: References;
  readonly #sessions: Sessions;
  readonly #used: Records<z.infer<typeof USED>>;
  readonly #now: () => number;

  constructor({ references, sessions, stateFolder, now = Date.now }: ConsentOptions) {
    this.#references = references;
    this.#sessions = sessions;
    this.#used = new Records(join(stateFolder, 'used-consents'), USED);
    this.#now = now;
  }

  async mint(
    owner: string,
    { permissionGranted, sessionId }: { permissionGranted: unknown; sessionId?: string | undefined },
  ): Promise<MintedConsent> {
    if (permissionGranted !== true) {
      const action = 'Ask the person; after they clearly agree, call mint_engage_consent_token with permission_granted: true.';
      throw refusal('explicit_permission_required', 'The person has not agreed to collecting the sosreport.', action);
    }
    const session = await this.#sessions.moveTo(await this.#sessions.find(owner, sessionId), STEP);
    const expiresAt = this.#now() + TTL_MS;
    const token = this.#references.issue(SCOPE, { owner, session: session.id, step: STEP }, expiresAt);
    return { token, expiresAt, session };
  }

  /** Redeems a token. If this throws, the token is unchanged. */
  async redeem(owner: string, token: string | undefined, sessionId: string | undefined): Promise<RedeemedConsent> {
    const now = this.#now();
    await this.#used.sweep((record) => record.expiresAt <= now);
    const reference = this.#check(owner, token, sessionId, now);
    if ((await this.#used.get(reference.id)) !== undefined) throw replayed();
    const session = await this.#sessions.find(owner, reference.claims['session'] ?? '');
    if (session.step !== reference.claims['step']) {
      const action = 'For another archive, ask the person again, then call mint_engage_consent_token.';
      throw refusal('consent_wrong_step', 'The workflow is past this step: an archive was fetched since the consent.', action);
    }
    // Only one of several concurrent calls with the same token succeeds.
    if (!(await this.#used.create(reference.id, { expiresAt: reference.expiresAt }))) throw replayed();
    return { session, giveBack: () => this.#used.remove(reference.id) };
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
