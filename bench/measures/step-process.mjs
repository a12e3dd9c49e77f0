// Steps from one snapshot to the next when one of many skills changes, through the public library; prints the samples as JSON.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Catalog, skillFolders } from 'footbridge';

const WARM_UP = 5;
const CHANGES = 40;

const folder = process.argv[2];
const skills = skillFolders({ folders: [folder], standardFolders: false, watch: false });
let took = 0;
let changed = '';
/** The same source, whose contribution is timed while the catalog makes a snapshot of it, without the scan that came before. */
const timed = {
  ...skills,
  open: (announce, ...others) =>
    skills.open(
      (next) => {
        const begin = performance.now();
        announce(next);
        // What is made at the first lookup belongs to it.
        catalog.findSkill(changed);
        took = performance.now() - begin;
      },
      ...others,
    ),
};

const catalog = await Catalog.open([timed]);
await catalog.settled();
const files = someFiles(folder, WARM_UP + CHANGES);
const steps = [];
for (const [index, file] of files.entries()) {
  const { snapshot } = catalog;
  changed = basename(dirname(file));
  writeFileSync(file, readFileSync(file, 'utf8').replace('description: ', 'description: Newly changed. '));
  await catalog.refresh();
  if (catalog.snapshot === snapshot) throw new Error('A skill changed, and yet there is no new snapshot.');
  if (index >= WARM_UP) steps.push(took);
}
catalog.close();
process.stdout.write(JSON.stringify({ skills: catalog.snapshot.skills.length, steps }));

/** Files of so many skills, from all over the folder. */
function someFiles(root, count) {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?:^|[/\\])SKILL\.md$/.test(name));
  const every = Math.floor(all.length / count);
  return Array.from({ length: count }, (_, index) => join(root, all[index * every]));
}
