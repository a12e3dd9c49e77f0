// Resolves URIs through the public library; prints the samples as JSON, in milliseconds per lookup.
import { Catalog, defineResources } from 'footbridge';

const FEW = 10;
const MANY = 100_000;
const TEMPLATES = 1000;
const BLOCKS = 200;
const LOOKUPS = 2000;
const READ_BLOCKS = 60;
const READS = 500;
const TEMPLATE_ROUNDS = 20;

const staticUri = (index) => `bench://items/${String(index).padStart(6, '0')}`;
const open = (uris) => Catalog.open([defineResources(uris.map((uri) => ({ uri, name: uri, read: () => 'content' })))]);
const openStatic = (count) => open(fresh(Array.from({ length: count }, (_, index) => index)));

/** Indices spread over the whole range, the same in each run. */
function scattered(seed, count, below) {
  return Array.from({ length: count }, (_, index) => ((seed * 7919 + index) * 48_271) % below);
}

/** Flat strings that have not been hashed yet, like those read from a socket or file. */
const fresh = (indices) => JSON.parse(JSON.stringify(indices.map(staticUri)));

/**
 * Both sides resolve ten URIs per block repeatedly: the only ten, or ten from the whole range, different ones in each block. Each is
 * resolved once before the timing starts, so that the processor's caches help both sides alike and only the lookup is compared.
 * `cold` resolves a different URI each time, as in a catalog that exceeds these caches.
 */
const catalogs = { few: await openStatic(FEW), many: await openStatic(MANY) };
const few = { catalog: catalogs.few, indices: (block) => scattered(block, FEW, FEW) };
const many = { catalog: catalogs.many, indices: (block) => scattered(block, FEW, MANY) };
const cold = { catalog: catalogs.many, indices: (block, count) => scattered(block, count, MANY), touched: 0 };

/** Time per lookup, for each block of `count`; the first blocks only warm up. */
async function turns(sides, blocks, count, work) {
  const samples = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  const order = Object.entries(sides);
  const warmUp = Math.ceil(blocks / 10);
  for (let block = 0; block < blocks + warmUp; block++) {
    for (const [name, { catalog, indices, touched = FEW }] of block % 2 === 0 ? order : order.toReversed()) {
      const different = indices(block, count);
      const uris = fresh(Array.from({ length: count }, (_, index) => different[index % different.length]));
      for (const uri of fresh(different.slice(0, touched))) check(catalog, uri);
      const begin = performance.now();
      const found = await work(catalog, uris);
      const time = (performance.now() - begin) / count;
      if (found !== count) throw new Error(`${found} of ${count} were found.`);
      if (block >= warmUp) samples[name].push(time);
    }
  }
  return samples;
}

function check({ snapshot }, uri) {
  if (snapshot.findResource(uri)?.entry.uri !== uri) throw new Error(`Not the resource at ${uri}.`);
}

function find({ snapshot }, uris) {
  let found = 0;
  for (const uri of uris) if (snapshot.findResource(uri) !== undefined) found++;
  return found;
}

async function read(catalog, uris) {
  let found = 0;
  for (const uri of uris) if ((await catalog.read(uri)).uri === uri) found++;
  return found;
}

/** Each template once per round, in an unpredictable order; one sample per lookup. */
async function templates(templateOf, uriOf) {
  const { snapshot } = await open(Array.from({ length: TEMPLATES }, (_, index) => templateOf(index)));
  const samples = [];
  for (let round = 0; round <= TEMPLATE_ROUNDS; round++) {
    for (const index of scattered(round, TEMPLATES, TEMPLATES)) {
      const uri = uriOf(index, round);
      const begin = performance.now();
      const found = snapshot.templateIndex.find(uri);
      const time = performance.now() - begin;
      if (found?.value.entry.uriTemplate !== templateOf(index)) throw new Error(`${uri} is not of ${templateOf(index)}.`);
      // The first round is slower, because the code is not optimized yet.
      if (round > 0) samples.push(time);
    }
  }
  return samples;
}

process.stdout.write(
  JSON.stringify({
    find: await turns({ few, many }, BLOCKS, LOOKUPS, find),
    // Separately, because it evicts the caches of other measurements.
    cold: await turns({ few, cold }, BLOCKS, LOOKUPS, find),
    read: await turns({ few, many }, READ_BLOCKS, READS, read),
    ownPrefix: await templates(
      (index) => `bench://kind-${index}/{id}`,
      (index, round) => `bench://kind-${index}/${round}`,
    ),
    sharedPrefix: await templates(
      (index) => `bench://things/{id}/part-${index}`,
      (index, round) => `bench://things/${round}/part-${index}`,
    ),
  }),
);
