// The first start ever with 10,000 skills, against the SDK's own loader.
import { fasterAtLeast, milliseconds, row } from '../report.mjs';
import { footbridge, loadSkillsServer, timeStart } from '../servers.mjs';
import { median } from '../statistics.mjs';

const COUNT = 10_000;
/** The loader is so slow that two rounds have to suffice; ours is measured before, between and after them. */
const LOADER_ROUNDS = 2;
const OUR_ROUNDS = 4;

export async function measureLargeStart(workspace) {
  const { folder } = await workspace.skills(COUNT);
  const ours = [];
  const loader = [];
  const measureOurs = async () => {
    for (let round = 0; round < OUR_ROUNDS; round++) {
      ours.push(await timeStart(workspace, footbridge(folder, workspace.folder('cache')), countsAll));
    }
  };
  for (let round = 0; round < LOADER_ROUNDS; round++) {
    await measureOurs();
    loader.push(await timeStart(workspace, loadSkillsServer(folder), (tools) => tools[0].description === `${COUNT} skills`));
  }
  await measureOurs();
  return [
    row({
      measure: 'Start, 10,000 skills: the first ever',
      ours: milliseconds(median(ours)),
      other: `SDK loadSkills ${milliseconds(median(loader))}`,
      ratio: median(loader) / median(ours),
      limit: fasterAtLeast(20),
    }),
  ];
}

/** Whether the listed and the counted skills add up to all of them: in the contract's form, or as names and lines. */
export function countsAll(tools) {
  const { description, inputSchema } = tools[0];
  const text = `${description}\n${inputSchema.properties.name.description}`;
  const tagged = description.split('<name>').length - 1;
  const lists = [...text.matchAll(/^(?:Skills|Without description): (.*)$/gm)].flatMap(([, list]) => list.split(/, |\.$/));
  const lines = [...text.matchAll(/^- ([^:\n]+): /gm)].map(([, name]) => name);
  const named = new Set([...lists, ...lines].filter((name) => /^[a-z0-9-]+$/.test(name))).size;
  const counted = Number(/(\d+) more skills are not shown/.exec(text)?.[1] ?? 0);
  return Math.max(tagged, named) + counted === COUNT;
}
