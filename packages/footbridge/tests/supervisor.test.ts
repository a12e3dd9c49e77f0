/** The supervisor when a start takes longer than callers wait. */
import { expect, it } from 'vitest';
import type { UpstreamConnection } from '../src/sources/upstream/connection.js';
import type { UpstreamFailure } from '../src/sources/upstream/failure.js';
import { type Attempt, Supervisor } from '../src/sources/upstream/supervisor.js';

/** As much of a connection as the supervisor uses. */
function connectionThat(closed: () => void): UpstreamConnection {
  const connection: Partial<UpstreamConnection> = {
    isClosed: false,
    async close() {
      closed();
    },
  };
  return connection as UpstreamConnection;
}

function slowSupervisor() {
  const downs: UpstreamFailure[] = [];
  const readies: UpstreamConnection[] = [];
  const attempts: Attempt[] = [];
  let come: (connection: UpstreamConnection) => void = () => {};
  const supervisor = new Supervisor({
    waitMs: 20,
    connect: (attempt) => {
      attempts.push(attempt);
      return new Promise((resolve, reject) => {
        come = resolve;
        attempt.cancellation.listen(() => reject(new Error('cancelled')));
      });
    },
    ready: (connection) => readies.push(connection),
    down: (failure) => downs.push(failure),
  });
  return { supervisor, downs, readies, attempts, come: (connection: UpstreamConnection) => come(connection) };
}

it('a slow start fails its callers but is used once it succeeds', async () => {
  const { attempts, come, downs, supervisor, readies } = slowSupervisor();
  await expect(supervisor.connection()).rejects.toThrow('Timed out after 20 ms while starting; it may still be installing');
  await expect(supervisor.connection()).rejects.toThrow('may still be installing');
  expect(supervisor.failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('may still be installing') });
  expect(downs).toHaveLength(1);
  let closed = 0;
  const connection = connectionThat(() => closed++);
  come(connection);
  await expect.poll(() => readies).toEqual([connection]);
  expect(supervisor.failure).toBeUndefined();
  expect(await supervisor.connection()).toBe(connection);
  expect(attempts).toHaveLength(1);
  await supervisor.close();
  expect(closed).toBe(1);
});

it('close cancels a running start', async () => {
  const { attempts, supervisor } = slowSupervisor();
  await expect(supervisor.connection()).rejects.toThrow('may still be installing');
  await supervisor.close();
  expect(attempts[0]?.cancellation.aborted).toBe(true);
  await expect(supervisor.connection()).rejects.toThrow('The connection is closed.');
});
