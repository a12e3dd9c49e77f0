import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JiraClient, type JiraClientOptions } from '../src/jira/client.js';
import { newWorld } from './support/connections.js';
import { failureOf } from './support/failures.js';
import { ACCOUNT, bodyFor, PAT } from './support/jira-fixtures.js';
import { allFileContents, tracesOf } from './support/secrets.js';
import { useJira } from './support/use-jira.js';

const jira = useJira({ pat: PAT, account: ACCOUNT });

describe('an invitation', () => {
  it('creates a connection for its owner, in whichever process it is submitted', async () => {
    const { connections, process, stateFolder } = await newWorld();
    const other = process();
    const events: string[] = [];
    const stop = other.onSettled((id, status) => events.push(`${id} ${status}`));
    const { connectionId, ticket, expiresAt, jiraBaseUrl } = await connections.invite('me', { baseUrl: jira().baseUrl });
    expect({ expiresAt, jiraBaseUrl }).toEqual({ expiresAt: '2025-02-03T04:15:06.000Z', jiraBaseUrl: `${jira().baseUrl}/` });
    expect(await other.ticketInfo(ticket)).toEqual({ expiresAt, jiraBaseUrl });
    expect(await other.view('me', connectionId)).toMatchObject({ status: 'pending', jira_base_url: jiraBaseUrl, expires_at: expiresAt });
    expect(await failureOf(other.use('me', connectionId))).toMatchObject({
      code: 'not_found',
      text: expect.stringContaining('has not been submitted'),
    });
    const view = await other.submit(ticket, bodyFor(jira()));
    expect(view).toEqual({
      connection_id: connectionId,
      status: 'active',
      jira_base_url: jiraBaseUrl,
      auth_mode: 'bearer_pat',
      jira_account: 'Jane Doe',
      expires_at: '2025-02-04T04:05:06.000Z',
      last_verified_at: '2025-02-03T04:05:06.000Z',
      text: `Connected to ${jiraBaseUrl} as "Jane Doe" until 2025-02-04T04:05:06.000Z; the token was verified at 2025-02-03T04:05:06.000Z.`,
    });
    expect(events).toEqual([`${connectionId} active`]);
    stop();
    expect(await connections.view('me', connectionId)).toEqual(view);
    expect(await connections.list('me')).toEqual([view]);
    await (await connections.use('me', connectionId)).myself();
    expect(await connections.ticketInfo(ticket)).toBeUndefined();
    expect((await failureOf(connections.submit(ticket, bodyFor(jira())))).code).toBe('not_found');
    const files = await allFileContents(stateFolder);
    for (const secret of [PAT, ticket]) expect(tracesOf(secret, files)).toEqual([]);
  });

  it('allows five attempts', async () => {
    const { connections, process, stored } = await newWorld();
    const corrected = await connections.invite('me');
    expect((await failureOf(connections.submit(corrected.ticket, bodyFor(jira(), 'another-token')))).code).toBe('invalid_credentials');
    expect(await stored()).toEqual([]);
    expect(await connections.submit(corrected.ticket, bodyFor(jira()))).toMatchObject({
      status: 'active',
      connection_id: corrected.connectionId,
    });

    const { ticket, connectionId } = await connections.invite('me');
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await failureOf(process().submit(ticket, { ...bodyFor(jira()), pat: 'a b' }))).code).toBe('validation_error');
      expect((await failureOf(process().submit(ticket, bodyFor(jira(), 'another-token')))).code).toBe('invalid_credentials');
    }
    expect(await connections.ticketInfo(ticket)).toBeUndefined();
    expect((await failureOf(connections.submit(ticket, bodyFor(jira())))).code).toBe('not_found');
    expect(await connections.view('me', connectionId)).toMatchObject({ status: 'expired' });
    expect((await failureOf(connections.use('me', connectionId))).code).toBe('connection_expired');
  });

  it('is redeemed once by concurrent submissions', async () => {
    const { connections, process, stored } = await newWorld();
    const { ticket } = await connections.invite('me');
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => process().submit(ticket, bodyFor(jira()))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'not_found' });
    expect(await stored()).toHaveLength(1);
  });

  it('accepts only the Jira that it was created for', async () => {
    const { connections } = await newWorld();
    const { ticket } = await connections.invite('me', { baseUrl: 'https://jira.example.com' });
    expect((await failureOf(connections.submit(ticket, bodyFor(jira())))).code).toBe('validation_error');
    expect(await connections.ticketInfo(ticket)).toBeDefined();
  });

  it('shows who requested it, in one line of bounded length', async () => {
    const { connections, process } = await newWorld();
    for (const [askedBy, shown] of [
      ['eve', 'eve'],
      ['e\u202Ev\ne\u0007', 'eve'],
      ['x'.repeat(5000), 'x'.repeat(100)],
      [' \u200B', 'unnamed caller'],
    ] as const) {
      const { ticket } = await connections.invite('me', { askedBy });
      expect(await process().ticketInfo(ticket)).toEqual({ expiresAt: expect.any(String), askedBy: shown });
    }
  });

  it('is revoked when its owner has ten newer ones', async () => {
    const { connections, clock, process } = await newWorld();
    const events: string[] = [];
    connections.onSettled((...event) => events.push(event.join(' ')));
    const yours = await connections.invite('you');
    const mine = [];
    for (let count = 0; count < 12; count++, clock.now++) mine.push(await connections.invite('me'));
    const gone = mine.slice(0, 2);
    for (const { ticket } of gone) expect(await connections.ticketInfo(ticket)).toBeUndefined();
    expect((await failureOf(connections.submit(gone[0]?.ticket ?? '', bodyFor(jira())))).code).toBe('not_found');
    expect(events).toEqual(gone.map(({ connectionId }) => `${connectionId} revoked`));
    for (const { ticket } of [yours, ...mine.slice(2)]) expect(await connections.ticketInfo(ticket)).toBeDefined();
    expect(await connections.list('me')).toHaveLength(10);
    await Promise.all(Array.from({ length: 15 }, () => process().invite('me')));
    expect((await connections.list('me')).length).toBeLessThanOrEqual(10);
  });

  it('expires after ten minutes and is removed later', async () => {
    const { connections, clock, stateFolder } = await newWorld();
    const { ticket, connectionId } = await connections.invite('me');
    clock.now += 10 * 60_000;
    await connections.sweep();
    expect(await connections.ticketInfo(ticket)).toBeUndefined();
    expect((await failureOf(connections.submit(ticket, bodyFor(jira())))).code).toBe('not_found');
    expect((await connections.view('me', connectionId)).status).toBe('expired');
    expect(await connections.list('me')).toEqual([]);
    clock.now += 10 * 60_000;
    await connections.sweep();
    expect((await failureOf(connections.view('me', connectionId))).code).toBe('not_found');
    expect(await readdir(join(stateFolder, 'invitations'))).toEqual([]);
  });

  it('can be revoked by its owner, even during verification', async () => {
    const { connections, process, stateFolder } = await newWorld();
    const events: string[] = [];
    connections.onSettled((...event) => events.push(event.join(' ')));
    const closed = await connections.invite('me');
    expect((await connections.revoke('me', closed.connectionId)).status).toBe('revoked');
    expect(events).toEqual([`${closed.connectionId} revoked`]);
    expect((await failureOf(connections.submit(closed.ticket, bodyFor(jira())))).code).toBe('not_found');
    expect((await failureOf(connections.use('me', closed.connectionId))).code).toBe('connection_revoked');

    const { ticket, connectionId } = await connections.invite('me');
    class Watched extends JiraClient {
      override async myself() {
        const account = await super.myself();
        await connections.revoke('me', connectionId);
        return account;
      }
    }
    const slow = process({ clientFor: (options: JiraClientOptions) => new Watched(options) });
    expect((await failureOf(slow.submit(ticket, bodyFor(jira())))).code).toBe('connection_revoked');
    expect((await connections.view('me', connectionId)).status).toBe('revoked');
    expect(tracesOf(PAT, await allFileContents(stateFolder))).toEqual([]);
  });
});
