// The size of `tools/list` with 1,000 skills.
import { row, valueAtMost } from '../report.mjs';
import { footbridge, start } from '../servers.mjs';

const LARGEST = 20_000;

export async function measureSize(workspace) {
  const { folder } = await workspace.skills(1000, { descriptions: [200, 300] });
  const { client, bytes } = await start(workspace, footbridge(folder, 'off'));
  // A server without a budget would send every description.
  const { result } = await client.request('resources/list', {});
  await client.close();
  const whole = Buffer.byteLength(JSON.stringify(result.resources.map(({ name, description }) => ({ name, description }))));
  return [
    row({
      measure: 'Size of tools/list, 1,000 skills',
      ours: `${bytes} bytes`,
      other: `all names and descriptions ${whole} bytes`,
      ratio: bytes / whole,
      limit: valueAtMost(bytes, LARGEST, `≤ ${LARGEST} bytes`),
    }),
  ];
}
