/** The tokens that callers sent last: if a server's entry requires it, they are exchanged for tokens for that server. */
import type { Caller } from '../../../sources/resource.js';
import type { SubjectToken } from '../../../sources/upstream/sign-in/login-options.js';
import type { Authenticated, Authenticator } from '../auth/index.js';

/** Callers; the least recent is forgotten, and remembered with its next request. */
const MAX = 10_000;

export class CallerTokens {
  readonly #issuer: string;
  /** By caller, least recent first. */
  readonly #tokens = new Map<string, { readonly token: string; readonly expiresAt: number }>();

  /** Only tokens of this issuer are exchanged. */
  constructor(issuer: string | undefined) {
    this.#issuer = issuer ?? '';
  }

  /** The same authenticator, which remembers. */
  seenBy({ authenticate, close }: Authenticator): Authenticator {
    const seen = <T extends { readonly ok: boolean }>(answer: T | Authenticated) => {
      if (answer.ok && 'authInfo' in answer) this.#remember(answer);
      return answer;
    };
    return {
      authenticate(authorization) {
        const answer = authenticate(authorization);
        return answer instanceof Promise ? answer.then(seen) : seen(answer);
      },
      close,
    };
  }

  of({ id, person = id }: Caller): SubjectToken {
    const { expiresAt = 0, token } = this.#tokens.get(person) ?? {};
    return { token: expiresAt * 1000 > Date.now() ? token : undefined, issuer: this.#issuer };
  }

  #remember({ authInfo: { expiresAt, extra, token }, caller: { id } }: Authenticated): void {
    // Tokens of http.tokens have no issuer, and no authorization server knows them.
    if (expiresAt === undefined || extra?.['issuer'] !== this.#issuer) return;
    this.#tokens.delete(id);
    this.#tokens.set(id, { token, expiresAt });
    const [oldest] = this.#tokens.size > MAX ? this.#tokens.keys() : [];
    if (oldest !== undefined) this.#tokens.delete(oldest);
  }
}
