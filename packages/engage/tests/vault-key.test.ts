import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { operatorKey } from '../src/vault/encryption.js';

describe('the operator key', () => {
  const bytes = randomBytes(32);

  it('is 32 bytes in base64, base64url or hex', () => {
    for (const encoding of ['base64', 'base64url', 'hex'] as const) expect(operatorKey(bytes.toString(encoding))).toEqual(bytes);
    expect(operatorKey(`${bytes.toString('hex').toUpperCase()}\n`)).toEqual(bytes);
    expect(operatorKey(undefined)).toBeUndefined();
  });

  it.each(['', '  ', 'a pass phrase', 'c2hvcnQtYnV0LWJhc2U2NA==', bytes.toString('hex').slice(2), randomBytes(48).toString('base64')])(
    'is rejected without repeating it (%#)',
    (value) => {
      const refuse = () => operatorKey(value);
      expect(refuse).toThrow('FOOTBRIDGE_ENGAGE_KEY');
      expect(refuse).toThrow('openssl rand -base64 32');
      if (value.trim() !== '') expect(refuse).not.toThrow(value);
    },
  );
});
