/** A login as this process last read it. */
import type { LoginRecord, LoginStorage } from './login-storage.js';

/** The polling interval for changes by other processes while the login is in use. */
const LOOK_MS = 1000;

export class LoginCopy {
  readonly #store: LoginStorage;
  readonly #id: string;
  #record: LoginRecord | undefined;
  #isRead = false;
  #isSealed = false;
  #hasAsked = false;
  #revision: string | undefined;
  #lookedAt = 0;

  constructor(store: LoginStorage, id: string) {
    this.#store = store;
    this.#id = id;
  }

  get record(): LoginRecord | undefined {
    if (!this.#isRead) this.reread();
    return this.#record;
  }

  /** Whether the store has to be asked for a login that it cannot read at once. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** Reads the login again after a sign-out, or a sign-in as another user. */
  follow(): void {
    const now = performance.now();
    if (!this.#isRead || now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    if (this.#store.revision?.(this.#id) !== this.#revision) this.reread();
  }

  reread(): void {
    this.#isRead = true;
    this.#lookedAt = performance.now();
    this.#revision = this.#store.revision?.(this.#id);
    this.#record = this.#store.read(this.#id);
    this.#isSealed = this.#record === undefined && !this.#hasAsked && this.#store.isSealed?.(this.#id) === true;
  }

  /** Reads it again from the store itself, not from a cache. */
  async reload(): Promise<void> {
    if (this.#isSealed) this.#hasAsked = true;
    await this.#store.update?.(this.#id);
    this.reread();
  }
}
