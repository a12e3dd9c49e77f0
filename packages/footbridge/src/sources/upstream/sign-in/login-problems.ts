/** Explains why there is no login, if the user could not know. */
import type { LoginRecord } from './login-storage.js';

export const REFUSED =
  'It refused the last login, which its authorization server had just issued. If it does so again, the two do not agree on what tokens are for: ask its operator.';

/** Undefined if the user only has to sign in. */
export function problemOf(record: LoginRecord | undefined, isSealed: boolean): string | undefined {
  if (record !== undefined)
    return record.problem === undefined || record.tokens !== undefined ? undefined : `The last login ended early. ${record.problem}`;
  if (!isSealed) return undefined;
  return 'You have signed in before, but the key of that login is in the system keychain, which is locked or cannot be reached. Unlock it, or sign in again.';
}
