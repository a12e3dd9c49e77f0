/** A corpus to evaluate the search: several hundred skills, many of them similar, and typical requests. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../fixtures/search/', import.meta.url));

export interface CorpusSkill {
  readonly name: string;
  readonly description: string;
  /** The whole `SKILL.md`. */
  readonly text: string;
}

/** Sections that many skills share almost literally, and that must not influence the ranking. */
const COMMON: readonly (readonly [heading: string, text: string])[] = [
  [
    'When to use',
    'Load this before the work starts. If the request is only a quick question, answer it directly and do not follow the whole process.',
  ],
  [
    'Before you start',
    'Read the existing files and the notes of the team. Ask one question at a time if the goal, the audience or the deadline is unclear. Write down what you assume.',
  ],
  [
    'Workflow',
    '1. Collect the input and check that it is complete.\n2. Make a plan and show it.\n3. Work in small steps and test each of them.\n4. Review the result against the checklist.\n5. Report what changed, what was left out and why.',
  ],
  [
    'Output',
    'Return the result first, then a short summary. Use a table if there are more than three items. Mark everything that a person has to decide. Keep the format that the project already uses.',
  ],
  [
    'Checklist',
    '- The result answers the request.\n- Names and numbers were checked twice.\n- Errors are handled, and messages say what to do next.\n- Nothing was deleted without asking.\n- Examples were run.',
  ],
  [
    'Common mistakes',
    'Starting without reading the code or the document. Changing several things at once. Inventing data, links or sources. Forgetting users on slow networks and small screens. Leaving debug output in a release.',
  ],
  [
    'Examples',
    '```sh\n./scripts/check.sh --input data/example.json --output build/report.md\n```\n\n```ts\nconst result = await run({ input: "example", retries: 3, timeout: 5000 });\nif (!result.ok) throw new Error(result.message);\n```',
  ],
  [
    'Troubleshooting',
    'If a command fails, read the first error and the log. Check versions, permissions and the configuration of the environment. Search the issues of the project before you report a bug. Restart the server only after you saved the state.',
  ],
  [
    'Security',
    'Never print passwords, tokens or personal data. Ask before anything is sent to another service or published. Keep a backup of what you change.',
  ],
  [
    'Performance',
    'Measure before and after. Prefer a simple solution; add a cache, an index or parallel work only if the measurement asks for it.',
  ],
  [
    'Team conventions',
    'Follow the style guide, the naming of branches and the structure of folders. Small pull requests are reviewed faster. Tests, documentation and the changelog belong to the change.',
  ],
  [
    'References',
    'See references/details.md for the long version, references/api.md for parameters, and assets/ for templates. Load them only when a step needs them.',
  ],
];

/** The skills of `skills.txt`: `= name`, the description, and lines `# heading: text`. */
export function fixtureSkills(): readonly CorpusSkill[] {
  const entries = readFileSync(`${FOLDER}skills.txt`, 'utf8').split(/^= /m).slice(1);
  return entries.map((entry, index) => {
    const [name = '', description = '', ...sections] = entry.trimEnd().split('\n');
    const own = sections.map((line) => {
      const [, heading = '', text = ''] = /^# ([^:]+): (.*)$/.exec(line) ?? [];
      return `## ${heading}\n\n${text}`;
    });
    // Each skill gets a different selection of the common sections, from one to all.
    const common = COMMON.filter((_, at) => (index * 7 + at * 5) % 11 < 2 + (index % 10)).map(
      ([heading, text]) => `## ${heading}\n\n${text}`,
    );
    const title = name.replaceAll('-', ' ');
    const [opening = '', ...rest] = common;
    const body = [`# ${title}`, opening, ...own, ...rest].filter((part) => part !== '').join('\n\n');
    return { name, description, text: `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${body}\n` };
  });
}

/** The requests of `requests.txt`, each with the skill that answers it, in two halves. Both have been used to choose weights. */
export function fixtureRequests(): { readonly first: readonly CorpusRequest[]; readonly second: readonly CorpusRequest[] } {
  const all = readFileSync(`${FOLDER}requests.txt`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [request = '', skill = ''] = line.split(' | ');
      return { request, skill };
    });
  return { first: all.filter((_, index) => index % 2 === 0), second: all.filter((_, index) => index % 2 === 1) };
}

export interface CorpusRequest {
  readonly request: string;
  readonly skill: string;
}
