/** A person's yes to collecting one bundle: a token that is good once, for a short time, for one caller and session. */
import { join } from 'node:path';
import * as z from 'zod/v4';
import { type ConsentCode, Failure } from '../failure.js';
import { Records } from '../records.js';
import type { Reference, References } from '../references.js';
import type { Session, Sessions } from './sessions.js';

const SCOPE = 'sosreport:generate';
const STEP = 'sos-report';
const LIFE_MS = 120_000;

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
  /** Makes the token good again: for when nothing was collected with it. */
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
      throw refusal('explicit_permission_required', 'Nobody has said yes to collecting the sosreport.', {
        action: 'Ask the person; after a clear yes call mint_engage_consent_token with permission_granted: true.',
      });
    }
    const session = await this.#sessions.moveTo(await this.#sessions.find(owner, sessionId), STEP);
    const expiresAt = this.#now() + LIFE_MS;
    const token = this.#references.issue(SCOPE, { owner, session: session.id, step: STEP }, expiresAt);
    return { token, expiresAt, session };
  }

  /** Uses a token up. When this fails the token is as good as it was before. */
  async redeem(owner: string, token: string | undefined, sessionId: string | undefined): Promise<RedeemedConsent> {
    const now = this.#now();
    await this.#used.sweep((record) => record.expiresAt <= now);
    const reference = this.#check(owner, token, sessionId, now);
    if ((await this.#used.get(reference.id)) !== undefined) throw replayed();
    const session = await this.#sessions.find(owner, reference.claims['session'] ?? '');
    if (session.step !== reference.claims['step']) {
      throw refusal('consent_wrong_step', 'The workflow has moved on since this consent was given: a bundle was fetched.', {
        action: 'For another bundle ask the person again, then call mint_engage_consent_token.',
      });
    }
    // Of several that come here with the same token one gets through.
    if (!(await this.#used.create(reference.id, { expiresAt: reference.expiresAt }))) throw replayed();
    return { session, giveBack: () => this.#used.remove(reference.id) };
  }

  #check(owner: string, token: string | undefined, sessionId: string | undefined, now: number): Reference {
    if (token === undefined || token === '') {
      throw refusal('consent_missing', 'A consent token is needed to collect an sosreport.', {
        action: 'Ask the person; after a clear yes call mint_engage_consent_token and pass its token.',
      });
    }
    const reference = this.#references.read(token);
    if (reference === undefined) throw refusal('consent_invalid', 'This consent token was not issued here, or was changed on its way.');
    if (reference.scope !== SCOPE) throw refusal('consent_wrong_scope', 'This is a reference of another kind, not a consent token.');
    if (reference.claims['owner'] !== owner) throw refusal('consent_wrong_user', 'This consent was given by someone else.');
    if (sessionId !== undefined && sessionId !== reference.claims['session']) {
      throw refusal('consent_session_mismatch', 'This consent was given in another workflow session.', {
        action: 'Pass the workflow_session_id it was minted with, or call mint_engage_consent_token for this session.',
      });
    }
    if (reference.expiresAt <= now) throw refusal('consent_expired', 'This consent has expired; it holds for 120 seconds.');
    return reference;
  }
}

function replayed(): Failure {
  return refusal('consent_replayed', 'This consent has been used already; each one is for one bundle.');
}

function refusal(
  code: ConsentCode,
  message: string,
  { action = 'Ask whether the person still agrees, then call mint_engage_consent_token for a new token.' } = {},
): Failure {
  return new Failure(code, message, action);
}
