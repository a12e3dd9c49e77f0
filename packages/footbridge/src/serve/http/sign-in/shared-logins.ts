/** The encrypted logins of callers, shared by all replicas. */
import { setTimeout } from 'node:timers/promises';
import { type LoginRecord, type LoginStorage, loginRecordIn } from '../../../sources/upstream/sign-in/login-storage.js';
import { SignInError } from '../../../sources/upstream/sign-in/sign-in-error.js';
import { sealText, unsealText } from '../../../state/encryption.js';
import type { SharedValues } from '../shared/shared-state.js';

/** Longer than a renewal may take. */
const LOCK_MS = 120_000;
const RETRY_MS = 50;
/** The polling interval for changes of other replicas. */
const LOOK_MS = 1000;
/** Copies; the oldest are read again. */
const MAX = 10_000;

export class SharedLogins implements LoginStorage {
  readonly #values: SharedValues;
  readonly #key: Buffer;
  readonly #copies = new Map<string, LoginRecord | undefined>();

  constructor(values: SharedValues, key: Buffer) {
    this.#values = values;
    this.#key = key;
  }

  /** The copy that `update` made. */
  read(id: string): LoginRecord | undefined {
    return this.#copies.get(id);
  }

  /** Uses the copy while the other replicas cannot be reached. */
  async update(id: string): Promise<void> {
    const value = await this.#values.get(`login:${id}`).catch(() => null);
    if (value !== null) this.#keep(id, value === undefined ? undefined : loginRecordIn(unsealText(this.#key, value, id)));
  }

  async write(id: string, record: LoginRecord): Promise<void> {
    await this.#values.set(`login:${id}`, sealText(this.#key, record, id)).catch(unreachable);
    this.#keep(id, record);
  }

  async remove(id: string): Promise<void> {
    await this.#values.take(`login:${id}`);
    this.#copies.delete(id);
  }

  async locked<T>(id: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    for (const end = Date.now() + timeoutMs; ; await setTimeout(RETRY_MS)) {
      const release = await this.#values.lock(`login-lock:${id}`, LOCK_MS).catch(unreachable);
      if (release !== undefined) return work().finally(release);
      if (Date.now() > end) throw new SignInError('The login is being changed by another replica.', { retryable: true });
    }
  }

  async alone(id: string, work: () => Promise<void>): Promise<boolean> {
    const release = await this.#values.lock(`login-renewal:${id}`, LOCK_MS).catch(unreachable);
    if (release === undefined) return false;
    await work().finally(release);
    return true;
  }

  async isLocked(id: string): Promise<boolean> {
    return (await this.#values.get(`login-lock:${id}`).catch(unreachable)) !== undefined;
  }

  watch(id: string, changed: () => void): () => void {
    const before = () => JSON.stringify(this.#copies.get(id)?.tokens);
    let known = before();
    const timer = setInterval(async () => {
      await this.update(id);
      if (before() === known) return;
      known = before();
      changed();
    }, LOOK_MS).unref();
    return () => clearInterval(timer);
  }

  #keep(id: string, record: LoginRecord | undefined): void {
    this.#copies.delete(id);
    this.#copies.set(id, record);
    const [oldest] = this.#copies.size > MAX ? this.#copies.keys() : [];
    if (oldest !== undefined) this.#copies.delete(oldest);
  }
}

function unreachable(): never {
  throw new SignInError('The logins of callers cannot be reached at the moment.', { retryable: true });
}
