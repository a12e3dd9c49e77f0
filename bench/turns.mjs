// Requests to two or more sides, in alternating blocks.

/**
 * Times requests and resolves with the samples of each side, in milliseconds. A side is a client and a function that returns the
 * next request, `[method, params]`. There are many blocks, so that other work on the machine hits all sides alike; each is long
 * enough that switching sides does not matter.
 */
export async function takeTurns(sides, { warmUp, blocks, calls }) {
  const order = Object.entries(sides);
  const samples = Object.fromEntries(order.map(([name]) => [name, []]));
  for (const [, side] of order) await timeRequests(side, warmUp);
  for (let block = 0; block < blocks; block++) {
    for (const [name, side] of block % 2 === 0 ? order : order.toReversed()) samples[name].push(...(await timeRequests(side, calls)));
  }
  return samples;
}

/** Sends requests one at a time and resolves with the milliseconds of each. */
export async function timeRequests({ client, request }, count) {
  const samples = [];
  for (let index = 0; index < count; index++) {
    const [method, params] = request();
    const begin = performance.now();
    const { result, at } = await client.request(method, params);
    if (result.isError === true) throw new Error(`A call failed: ${JSON.stringify(result.content)}`);
    samples.push(at - begin);
  }
  return samples;
}
