/** The folders that everything happens in, with secrets around what is served. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** No answer may contain one of these. */
export const SECRETS = { variable: 'fz-variable-9d1c5e7a40b2', file: 'fz-file-63af0c81d7e4', key: 'fz-key-b05e4417c9d8' } as const;
/** Of a caller over HTTP, whose role sees a part of what there is. */
export const READER = 'fuzz-token-of-the-reader';

const LARGEST = 16 * 1024 * 1024;

export interface World {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  write(path: string, content: string): string;
  /** A new, empty folder. */
  fresh(): string;
  remove(): void;
}

export function createWorld(): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'footbridge-fuzz-')));
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  let count = 0;
  const write = (path: string, content: string) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  write('outside/secret.txt', SECRETS.file);
  write('home/.ssh/id_rsa', SECRETS.key);
  for (const [name, body] of Object.entries(SKILLS))
    write(`project/skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${name} for tests\n---\n\n# ${name}\n\n${body}`);
  for (let index = 0; index < LARGE; index++)
    write(
      `project/skills/large-${index}/SKILL.md`,
      `---\nname: large-${index}\ndescription: large for tests\n${FRONTMATTER}\n---\nText.\n`,
    );
  write('project/skills/long/notes.md', 'notes '.repeat(1000));
  // As large as a file may be. What is not Latin takes twice the memory, and quotation marks become longer in JSON.
  write('project/skills/long/large.md', 'large\n'.repeat(Math.floor(LARGEST / 6)));
  write('project/skills/long/wide.md', 'ж"\n'.repeat(LARGEST / 4));
  return {
    root,
    project,
    home,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      USERPROFILE: home,
      FOOTBRIDGE_CACHE: 'off',
      FUZZ_API_TOKEN: SECRETS.variable,
      FUZZ_PASSWORD: SECRETS.variable,
    },
    write,
    fresh() {
      const folder = join(root, 'cases', String(++count));
      mkdirSync(folder, { recursive: true });
      return folder;
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Skills whose frontmatter makes `skills/list` an answer that is sent in pieces. */
const LARGE = 6;
const FRONTMATTER = `x: &a "${'\\u0416'.repeat(2000)}"\ny: {list: [${'*a, '.repeat(25)}]}`;

const SKILLS = {
  git: 'Commit often.\n',
  pdf: '## Forms\n\nFill them.\n\n- [notes](notes.md)\n',
  long: 'A sentence that is repeated, so that the text is read in parts.\n'.repeat(2000),
};
