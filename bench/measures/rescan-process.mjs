// Scans and rescans a folder through the public library; prints the samples as JSON.
import { setImmediate } from 'node:timers/promises';
import { Catalog, skillFolders } from 'footbridge';

const ROUNDS = 8;
const RESCANS = 4;
const STALL_RESCANS = 30;

const folder = process.argv[2];
const open = () => Catalog.open([skillFolders({ folders: [folder], standardFolders: false, watch: false })]);

async function time(work) {
  const begin = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - begin };
}

async function timeRescan(catalog) {
  const { snapshot } = catalog;
  const { milliseconds } = await time(() => catalog.refresh());
  if (catalog.snapshot !== snapshot) throw new Error('Nothing changed, and yet there is a new snapshot.');
  return milliseconds;
}

/** The longest delay of the event loop while `work` ran. */
async function longestStall(work) {
  let done = false;
  let longest = 0;
  const running = work().finally(() => {
    done = true;
  });
  for (let last = performance.now(); !done; ) {
    await setImmediate();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await running;
  return longest;
}

async function idleFor(milliseconds) {
  for (const begin = performance.now(); performance.now() - begin < milliseconds; ) await setImmediate();
}

const full = [];
const rescans = [];
for (let round = 0; round <= ROUNDS; round++) {
  const { value: catalog, milliseconds } = await time(open);
  const again = [];
  for (let rescan = 0; rescan < RESCANS; rescan++) again.push(await timeRescan(catalog));
  catalog.close();
  // The first round is slower on both sides, because the code is not optimized yet.
  if (round > 0) {
    full.push(milliseconds);
    rescans.push(...again);
  }
}

// In a fresh catalog and without full scans, whose garbage would count.
const catalog = await open();
const stalls = [];
const idle = [];
for (let rescan = 0; rescan < STALL_RESCANS; rescan++) {
  stalls.push(await longestStall(() => catalog.refresh()));
  idle.push(await longestStall(() => idleFor(rescans[0])));
}
catalog.close();

process.stdout.write(JSON.stringify({ full, rescans, stalls, idle }));
