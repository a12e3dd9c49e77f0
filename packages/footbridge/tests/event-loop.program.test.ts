/** No input blocks the event loop: all earlier findings, and generated input for every entry point. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Case, ENTRIES } from '../../../fuzz/case.js';
import { fuzz } from '../../../fuzz/fuzz.js';
import { loadedTurnLimit } from '../../../fuzz/limits.js';
import { placesIn } from '../../../fuzz/main.js';
import { Session } from '../../../fuzz/session.js';
import { repository } from './support/documents.js';

const folder = join(import.meta.dirname, 'corpus');
const corpus = readdirSync(folder).map((name): { title: string; case: Case } => JSON.parse(readFileSync(join(folder, name), 'utf8')));

/** The same input in every run; `npm run fuzz` tries more. */
const SEED = 18;
const CASES = 48;

/** Other tests compute beside this one. `npm run fuzz`, which is alone, replays the corpus with the limit of a quiet machine. */
const limit = loadedTurnLimit;

let session: Session;
beforeAll(async () => {
  session = await Session.open(placesIn(repository), limit);
});
afterAll(() => session.close());

it.each(ENTRIES)('no earlier finding delays a ping, exceeds the memory limit or leaks a secret: %s', async (entry) => {
  const cases = corpus.filter((each) => each.case.entry === entry);
  expect(cases.length).toBeGreaterThan(2);
  for (const { title, case: given } of cases) expect((await session.run(given)).problems, title).toEqual([]);
});

it('no generated input of any entry point does so', async () => {
  const { counts, finding } = await fuzz(session, { entries: ENTRIES, seed: SEED, milliseconds: 60_000, most: CASES });
  expect(finding).toBeUndefined();
  expect(Object.values(counts).every((count) => count > 0)).toBe(true);
});

it.each([
  ['a turn that computes for too long', { block: 400 }, /one turn of the event loop computed for \d+ ms/],
  ['a ping that waits for too long', { keep: 1000 }, /a ping waited for \d+ ms/],
] as const)('%s is a finding', async (_title, params, problem) => {
  const blocking = await Session.open(
    { ...placesIn(repository), probe: join(import.meta.dirname, 'fixtures', 'blocking-probe.mjs') },
    limit,
  );
  try {
    const { problems } = await blocking.run({ entry: 'stdio', era: 'legacy', send: [{ request: 'ping', params }] });
    expect(problems).toEqual([expect.stringMatching(problem)]);
  } finally {
    await blocking.close();
  }
});

it('a body over HTTP that ends too early is a finding', async () => {
  const cutting = await Session.open({ ...placesIn(repository), probe: join(import.meta.dirname, 'fixtures', 'cutting-probe.mjs') }, limit);
  try {
    const [given] = corpus.filter(({ title }) => title === 'a list of skills that is sent in pieces');
    expect(given).toBeDefined();
    if (given !== undefined)
      expect((await cutting.run(given.case)).problems).toEqual([expect.stringMatching(/^a body that ends too early/)]);
  } finally {
    await cutting.close();
  }
});
