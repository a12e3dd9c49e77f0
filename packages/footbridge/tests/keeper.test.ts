/** A connection that takes longer than anybody waits for it. */
import { expect, it } from 'vitest';
import type { UpstreamFailure } from '../src/sources/upstream/failure.js';
import { type Attempt, Keeper } from '../src/sources/upstream/keeper.js';
import type { Link } from '../src/sources/upstream/link.js';

/** What a connection is to the keeper. */
function linkThat(closed: () => void): Link {
  const link: Partial<Link> = {
    isClosed: false,
    async close() {
      closed();
    },
  };
  return link as Link;
}

function slowKeeper() {
  const downs: UpstreamFailure[] = [];
  const readies: Link[] = [];
  const attempts: Attempt[] = [];
  let come: (link: Link) => void = () => {};
  const keeper = new Keeper({
    patienceMs: 20,
    connect: (attempt) => {
      attempts.push(attempt);
      return new Promise((resolve, reject) => {
        come = resolve;
        attempt.cancellation.listen(() => reject(new Error('cancelled')));
      });
    },
    ready: (link) => readies.push(link),
    down: (failure) => downs.push(failure),
  });
  return { keeper, downs, readies, attempts, come: (link: Link) => come(link) };
}

it('is not given up: nobody waits any more, and when it comes it is used', async () => {
  const { attempts, come, downs, keeper, readies } = slowKeeper();
  await expect(keeper.link()).rejects.toThrow('Timed out after 20 ms while starting; it may still be installing');
  await expect(keeper.link()).rejects.toThrow('may still be installing');
  expect(keeper.failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('may still be installing') });
  expect(downs).toHaveLength(1);
  let closed = 0;
  const link = linkThat(() => closed++);
  come(link);
  await expect.poll(() => readies).toEqual([link]);
  expect(keeper.failure).toBeUndefined();
  expect(await keeper.link()).toBe(link);
  expect(attempts).toHaveLength(1);
  await keeper.close();
  expect(closed).toBe(1);
});

it('is ended with all else', async () => {
  const { attempts, keeper } = slowKeeper();
  await expect(keeper.link()).rejects.toThrow('may still be installing');
  await keeper.close();
  expect(attempts[0]?.cancellation.aborted).toBe(true);
  await expect(keeper.link()).rejects.toThrow('The connection is closed.');
});
