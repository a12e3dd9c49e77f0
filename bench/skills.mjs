// Generated skill folders: the same in every run, and as varied as real ones.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generator } from './statistics.mjs';
import { ACTIONS, CLAUSES, FIELDS, OBJECTS, SENTENCES, TEAMS } from './words.mjs';

/** One in so many skills has a supporting file. */
const SUPPORTING = 10;

/**
 * Writes `count` skills below `folder` and returns their names. Descriptions have about `descriptions[0]` to
 * `descriptions[1]` characters, bodies 2 to 4 KB. `nested` skills lie three to five folders deep.
 */
export function writeSkills(folder, count, { descriptions = [100, 300], nested = false } = {}) {
  const random = generator(count);
  const between = (low, high) => low + Math.floor(random() * (high - low));
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, index) => {
    const { name, sentence, groups } = subject(index);
    const description = describe(sentence, between(...descriptions), random);
    const skill = join(folder, ...(nested ? groups.slice(0, SHALLOWEST + (index % DEPTHS)) : []), name);
    mkdirSync(skill, { recursive: nested });
    writeFileSync(
      join(skill, 'SKILL.md'),
      `---\n${frontmatter(name, description, index)}---\n\n${body(name, between(2000, 4000), random)}`,
    );
    if (index % SUPPORTING === 0) {
      mkdirSync(join(skill, 'references'));
      writeFileSync(join(skill, 'references', 'details.md'), body('Details', between(1000, 3000), random));
    }
    return name;
  });
}

/** Folders above a nested skill. */
const SHALLOWEST = 2;
const DEPTHS = 3;

function subject(index) {
  const names = ACTIONS.length * OBJECTS.length * FIELDS.length;
  // A step that shares no factor with the number of names reaches each of them once, in mixed order.
  const at = (index * 7919) % names;
  const team = TEAMS[Math.floor(index / names) - 1];
  const action = ACTIONS[at % ACTIONS.length];
  const object = OBJECTS[Math.floor(at / ACTIONS.length) % OBJECTS.length];
  const field = FIELDS[Math.floor(at / ACTIONS.length / OBJECTS.length)];
  const verb = action[0].toUpperCase() + action.slice(1);
  const sentence = `${verb} ${object.replaceAll('-', ' ')} in ${field}`;
  return {
    name: [action, object, field, ...(team === undefined ? [] : [team])].join('-'),
    sentence: team === undefined ? sentence : `${sentence}, for ${team}`,
    groups: [team ?? 'everyone', field, object, action[0]],
  };
}

function describe(sentence, length, random) {
  const first = Math.floor(random() * CLAUSES.length);
  const parts = [sentence, ...CLAUSES.slice(first), ...CLAUSES.slice(0, first)];
  return `${parts
    .join('. ')
    .slice(0, length - 1)
    .trimEnd()
    .replace(/[.,;]$/, '')}.`;
}

/** Mostly plain lines; about every seventh needs a real YAML parser. */
function frontmatter(name, description, index) {
  const written =
    index % 20 === 3
      ? `>-\n  ${description.replace('. ', '.\n  ')}`
      : index % 10 === 6
        ? JSON.stringify(description.replace('. ', ': '))
        : description;
  const license = index % 4 === 0 ? 'license: Apache-2.0\n' : '';
  const metadata = index % 10 === 1 ? 'metadata:\n  author: example-team\n  version: "1.2"\n' : '';
  return `name: ${name}\ndescription: ${written}\n${license}${metadata}`;
}

function body(title, length, random) {
  let text = `# ${title}\n`;
  for (let step = 1; text.length < length; step++) {
    const pick = () => SENTENCES[Math.floor(random() * SENTENCES.length)];
    text += `\n## Step ${step}\n\n${pick()} ${pick()}\n\n- ${pick()}\n- ${pick()}\n`;
  }
  return text;
}
