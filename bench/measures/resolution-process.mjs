// What a URI means, looked up through the public library; prints the samples as JSON, in milliseconds for one lookup.
import { Catalog, defineResources } from '../../packages/footbridge/dist/index.js';

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
const openStatic = (count) => open(Array.from({ length: count }, (_, index) => staticUri(index)));

/** Indices from all over, the same in each run. */
function scattered(seed, count, below) {
  return Array.from({ length: count }, (_, index) => ((seed * 7919 + index) * 48_271) % below);
}

/** Texts as they come off a wire: none that the catalog has, and none that was looked up before. */
const fresh = (indices) => JSON.parse(JSON.stringify(indices.map(staticUri)));

/**
 * Both sides ask for ten different URIs a block, again and again: the ten that there are, or ten from all over, others in each
 * block. So the processor's caches serve both alike, and what is compared is the lookup. `cold` asks for another URI each time,
 * which only the memory of a large catalog can be slow at.
 */
const sidesOf = (few, many) => ({
  few: { catalog: few, uris: (block, count) => repeated(scattered(block, FEW, FEW), count) },
  many: { catalog: many, uris: (block, count) => repeated(scattered(block, FEW, MANY), count) },
  cold: { catalog: many, uris: (block, count) => fresh(scattered(block, count, MANY)) },
});
const repeated = (indices, count) => fresh(Array.from({ length: count }, (_, index) => indices[index % indices.length]));

/** Time for one of `count`, by blocks; the first blocks only warm up. */
async function turns(sides, blocks, count, work) {
  const samples = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  const order = Object.entries(sides);
  const warmUp = Math.ceil(blocks / 10);
  for (let block = 0; block < blocks + warmUp; block++) {
    for (const [name, { catalog, uris }] of block % 2 === 0 ? order : order.toReversed()) {
      const asked = uris(block, count);
      const begin = performance.now();
      const found = await work(catalog, asked);
      const time = (performance.now() - begin) / count;
      if (found !== count) throw new Error(`${found} of ${count} were found.`);
      if (block >= warmUp) samples[name].push(time);
    }
  }
  return samples;
}

function find({ snapshot }, uris) {
  let found = 0;
  for (const uri of uris) if (snapshot.findResource(uri)?.entry.uri.length === uri.length) found++;
  return found;
}

async function read(catalog, uris) {
  let found = 0;
  for (const uri of uris) if ((await catalog.read(uri)).uri === uri) found++;
  return found;
}

/** Each template once a round, in an order that no cache knows; one sample for each lookup. */
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
      // The first round is slower, the code being new to the engine.
      if (round > 0) samples.push(time);
    }
  }
  return samples;
}

const sides = sidesOf(await openStatic(FEW), await openStatic(MANY));
const { cold: _, ...readSides } = sides;
process.stdout.write(
  JSON.stringify({
    find: await turns(sides, BLOCKS, LOOKUPS, find),
    read: await turns(readSides, READ_BLOCKS, READS, read),
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
