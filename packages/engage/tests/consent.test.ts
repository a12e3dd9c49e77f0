import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOf, failureOf } from './support/folder.js';
import { openPack } from './support/pack.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('a workflow session', () => {
  test('starts with the product linux only', async () => {
    const { sessions } = await openPack();
    const session = await sessions.select('ann', 'linux');
    expect(session).toMatchObject({ owner: 'ann', product: 'linux', step: 'sos-report' });
    expect(await codeOf(() => sessions.select('ann', 'windows'))).toBe('validation_error');
  });

  test('is found by id, or the latest without an id', async () => {
    const { sessions, clock } = await openPack();
    const first = await sessions.select('ann', 'linux');
    clock.now += 1;
    const second = await sessions.select('ann', 'linux');
    expect(await sessions.find('ann', first.id)).toEqual(first);
    expect(await sessions.find('ann', undefined)).toEqual(second);
  });

  test('is required before anything else', async () => {
    const { sessions } = await openPack();
    await sessions.select('bob', 'linux');
    const failure = await failureOf(() => sessions.find('ann', undefined));
    expect(failure.code).toBe('product_selection_required');
    expect(failure.action).toContain('select_engage_product');
  });

  test('gives the same error if unknown, expired or of another owner', async () => {
    const { sessions, clock } = await openPack();
    const { id } = await sessions.select('ann', 'linux');
    const texts = [await failureOf(() => sessions.find('ann', 'nonsense/../x')), await failureOf(() => sessions.find('bob', id))];
    clock.now += DAY_MS;
    texts.push(await failureOf(() => sessions.find('ann', id)));
    expect(texts.map(({ code }) => code)).toEqual(Array(3).fill('workflow_session_invalid'));
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
    expect(await codeOf(() => sessions.find('ann', undefined))).toBe('product_selection_required');
  });

  test('is removed when its owner has more than 20', async () => {
    const { sessions, clock } = await openPack();
    const ids: string[] = [];
    for (let count = 0; count < 22; count += 1) {
      clock.now += 1;
      ids.push((await sessions.select('ann', 'linux')).id);
    }
    for (const id of ids.slice(0, 2)) expect(await codeOf(() => sessions.find('ann', id))).toBe('workflow_session_invalid');
    for (const id of ids.slice(2)) expect((await sessions.find('ann', id)).id).toBe(id);
  });
});

describe('consent', () => {
  async function agreed() {
    const pack = await openPack();
    const session = await pack.sessions.select('ann', 'linux');
    const { token, expiresAt } = await pack.consent.mint('ann', { permissionGranted: true });
    return { ...pack, session, token, expiresAt };
  }

  test('is valid for 120 seconds in its session', async () => {
    const { consent, session, token, expiresAt, clock } = await agreed();
    expect(expiresAt).toBe(clock.now + 120_000);
    clock.now += 119_999;
    expect((await consent.redeem('ann', token, session.id)).session.id).toBe(session.id);
  });

  test('requires permission_granted to be exactly true', async () => {
    const { consent } = await agreed();
    for (const permissionGranted of [undefined, false, 'true', 1, null]) {
      expect(await codeOf(() => consent.mint('ann', { permissionGranted }))).toBe('explicit_permission_required');
    }
  });

  test('requires a session of the same owner', async () => {
    const { consent, session } = await agreed();
    expect(await codeOf(() => consent.mint('bob', { permissionGranted: true }))).toBe('product_selection_required');
    expect(await codeOf(() => consent.mint('bob', { permissionGranted: true, sessionId: session.id }))).toBe('workflow_session_invalid');
  });

  test('has its own error code for each way of being invalid', async () => {
    const { consent, references, sessions, token, session, clock } = await agreed();
    const other = await sessions.select('ann', 'linux');
    const fetching = references.issue('sosreport:fetch', { owner: 'ann' }, clock.now + 1000);
    expect(await codeOf(() => consent.redeem('ann', undefined, undefined))).toBe('consent_missing');
    expect(await codeOf(() => consent.redeem('ann', '', undefined))).toBe('consent_missing');
    expect(await codeOf(() => consent.redeem('ann', `${token}x`, undefined))).toBe('consent_invalid');
    expect(await codeOf(() => consent.redeem('ann', fetching, undefined))).toBe('consent_wrong_scope');
    expect(await codeOf(() => consent.redeem('bob', token, undefined))).toBe('consent_wrong_user');
    expect(await codeOf(() => consent.redeem('ann', token, other.id))).toBe('consent_session_mismatch');
    // None of these redeemed it.
    expect((await consent.redeem('ann', token, undefined)).session.id).toBe(session.id);
  });

  test('expires even after it was used', async () => {
    const { consent, token, clock } = await agreed();
    await consent.redeem('ann', token, undefined);
    clock.now += 120_000;
    expect(await codeOf(() => consent.redeem('ann', token, undefined))).toBe('consent_expired');
  });

  test('can be redeemed once only, even by concurrent processes', async () => {
    const { stateFolder, token } = await agreed();
    const packs = await Promise.all(Array.from({ length: 8 }, () => openPack({ stateFolder })));
    const codes = await Promise.all(
      packs.map(({ consent }) =>
        consent.redeem('ann', token, undefined).then(
          () => 'redeemed',
          (cause: { code?: string }) => cause.code,
        ),
      ),
    );
    expect(codes.sort()).toEqual([...Array(7).fill('consent_replayed'), 'redeemed']);
  });

  test('is not valid again after it was used, wherever the clock is set', async () => {
    const { consent, token, clock } = await agreed();
    await consent.redeem('ann', token, undefined);
    const then = clock.now;
    // The clock passes the expiry, consents are given and used, and the clock returns.
    clock.now = then + 300_000;
    await consent.redeem('ann', (await consent.mint('ann', { permissionGranted: true })).token, undefined);
    for (const now of [then, then - 600_000, then + 119_000, 0]) {
      clock.now = now;
      expect(await codeOf(() => consent.redeem('ann', token, undefined)), String(now - then)).toBe('consent_replayed');
    }
  });

  test('is not valid again after it has expired and the clock is set back', async () => {
    const { consent, token, clock, stateFolder } = await agreed();
    clock.now += 120_000;
    expect(await codeOf(() => consent.redeem('ann', token, undefined))).toBe('consent_expired');
    clock.now -= 60_000;
    expect(await codeOf(() => consent.redeem('ann', token, undefined))).toBe('consent_replayed');
    expect(await readdir(join(stateFolder, 'unused-consents'))).toEqual([]);
  });

  test('is valid again after it was given back', async () => {
    const { consent, token } = await agreed();
    const { giveBack } = await consent.redeem('ann', token, undefined);
    await giveBack();
    await consent.redeem('ann', token, undefined);
    expect(await codeOf(() => consent.redeem('ann', token, undefined))).toBe('consent_replayed');
  });

  test('becomes invalid with its session, and after the workflow has advanced', async () => {
    const { consent, sessions, session, token, clock } = await agreed();
    await sessions.moveTo(session, 'jira-attach');
    expect(await codeOf(() => consent.redeem('ann', token, undefined))).toBe('consent_wrong_step');
    // A new consent returns to the step.
    const again = await consent.mint('ann', { permissionGranted: true, sessionId: session.id });
    expect(again.session.step).toBe('sos-report');
    for (let count = 0; count < 20; count += 1) {
      clock.now += 1;
      await sessions.select('ann', 'linux');
    }
    expect(await codeOf(() => consent.redeem('ann', again.token, undefined))).toBe('workflow_session_invalid');
  });
});
