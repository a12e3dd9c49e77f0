/** Skills as people write them: names of two or three words, descriptions from one sentence to 1,024 characters. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pick, seeded } from './random.js';
import { ACTIONS, DETAILS, FIELDS, OCCASIONS } from './words.js';

const SEED = 17;
const LONGEST_DESCRIPTION = 1024;
/** Least lengths of descriptions, spread as in public collections: the last sentence makes each a little longer. */
const LENGTHS = [70, 90, 120, 145, 170, 195, 220, 250, 330, 860];

export interface CorpusSkill {
  readonly name: string;
  readonly description: string;
}

/** The first skills of the corpus, always the same. */
export function corpusSkills(count: number): CorpusSkill[] {
  const random = seeded(SEED);
  const most = FIELDS.length * ACTIONS.length;
  if (count > most) throw new RangeError(`The corpus has ${most} skills.`);
  // A step without a common divisor reaches every pair once, and neighbours differ in field and action.
  return Array.from({ length: count }, (_, index) => skillAt((index * 377) % most, random));
}

function skillAt(index: number, random: () => number): CorpusSkill {
  const [field, fields] = FIELDS[index % FIELDS.length] ?? ['', ''];
  const [action, verb] = ACTIONS[Math.floor(index / FIELDS.length)] ?? ['', ''];
  const wanted = pick(random, LENGTHS) * (0.85 + random() * 0.3);
  let description = `${verb} ${fields}.`;
  const sentences = [...shuffled(random, OCCASIONS), ...shuffled(random, DETAILS)].map((each) => each.replace('%', fields));
  for (const sentence of sentences) {
    if (description.length >= wanted || description.length + sentence.length >= LONGEST_DESCRIPTION) break;
    description += ` ${sentence}`;
  }
  return { name: `${field}-${action}`, description };
}

function shuffled<Element>(random: () => number, list: readonly Element[]): Element[] {
  return list
    .map((element) => ({ element, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ element }) => element);
}

/** Writes a skill into a folder of skills, with a body or with one of a few lines. */
export function writeSkill(folder: string, { name, description }: CorpusSkill, body = shortBody(name)): void {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'SKILL.md'), `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}`);
}

function shortBody(name: string): string {
  return `# ${name}\n\n1. Read what the user asks for.\n2. Do it.\n3. Report what has changed.\n`;
}
