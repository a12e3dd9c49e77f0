// A process that keeps a catalog of one skill folder open and rescans it on request.
import { Catalog, skillFolders } from 'footbridge';

const open = () => Catalog.open([skillFolders({ folders: [process.argv[2]], standardFolders: false, watch: false })]);
const catalog = await open();
const TASKS = {
  rescan: () => catalog.refresh(),
  scan: async () => (await open()).close(),
};

process.on('message', async (task) => {
  const begin = performance.now();
  await TASKS[task]();
  process.send(performance.now() - begin);
});
