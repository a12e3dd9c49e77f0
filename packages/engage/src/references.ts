/** Opaque, signed references that a caller passes from one tool to the next. */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivate } from 'footbridge/state';
import * as z from 'zod/v4';

const KEY_BYTES = 32;
const MAX_LENGTH = 4096;
const SHAPE = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;

const PAYLOAD = z.object({
  scope: z.string(),
  claims: z.record(z.string(), z.string()),
  exp: z.number(),
  jti: z.string(),
});

export interface Reference {
  readonly scope: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly expiresAt: number;
  /** Unique. */
  readonly id: string;
}

export class References {
  readonly #key: Uint8Array;

  private constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Processes that share the folder share the key and accept each other's references. */
  static async open(stateFolder: string): Promise<References> {
    const file = join(stateFolder, 'references.key');
    const key = await readFile(file).catch(async () => {
      // If two processes race, both read the key of the first.
      await createPrivate(file, randomBytes(KEY_BYTES));
      return readFile(file);
    });
    if (key.length !== KEY_BYTES) throw new Error(`${file} is not a key of ${KEY_BYTES} bytes. Remove it to generate a new one.`);
    return new References(key);
  }

  issue(scope: string, claims: Readonly<Record<string, string>>, expiresAt: number): string {
    return this.issueOnce(scope, claims, expiresAt).token;
  }

  /** As `issue`, with the id by which the caller remembers whether it was used. */
  issueOnce(scope: string, claims: Readonly<Record<string, string>>, expiresAt: number): { readonly id: string; readonly token: string } {
    const id = randomUUID();
    const payload = JSON.stringify({ scope, claims, exp: expiresAt, jti: id } satisfies z.infer<typeof PAYLOAD>);
    const encoded = Buffer.from(payload).toString('base64url');
    return { id, token: `${encoded}.${this.#sign(encoded).toString('base64url')}` };
  }

  /** Verifies the signature only: the caller must check expiry and claims. */
  read(text: string): Reference | undefined {
    if (text.length > MAX_LENGTH) return undefined;
    const [, encoded, signature] = SHAPE.exec(text) ?? [];
    if (encoded === undefined || signature === undefined) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#sign(encoded);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const payload = PAYLOAD.safeParse(JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')));
    if (!payload.success) return undefined;
    const { scope, claims, exp, jti } = payload.data;
    return { scope, claims, expiresAt: exp, id: jti };
  }

  #sign(encoded: string): Buffer {
    return createHmac('sha256', this.#key).update(encoded).digest();
  }
}
