/** Temporary folders with skills, removed after each test. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface World {
  /** The working folder. */
  readonly project: string;
  readonly home: string;
  /** A folder outside every configured one. */
  readonly outside: string;
  /** Writes a file below the project, home or outside: `project/.claude/skills/git/SKILL.md`. */
  write(path: string, content: string | Uint8Array): string;
  /** Writes a skill's SKILL.md into a folder. */
  skill(folder: string, fields?: Partial<Fields>): string;
  remove(path: string): void;
  path(path: string): string;
}

interface Fields {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/** A new, empty world, which is removed after the test unless `atEnd` is given. */
export function createWorld(atEnd: (remove: () => void) => void = onTestFinished): World {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'footbridge-')));
  atEnd(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  for (const folder of ['project', 'home', 'outside']) mkdirSync(join(root, folder));
  const path = (relative: string) => join(root, relative);
  const write = (relative: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path(relative)), { recursive: true });
    writeFileSync(path(relative), content);
    return path(relative);
  };
  return {
    project: path('project'),
    home: path('home'),
    outside: path('outside'),
    path,
    write,
    skill(folder, fields = {}) {
      const name = fields.name ?? folder.split('/').at(-1) ?? folder;
      const description = fields.description ?? `What ${name} is for`;
      return write(
        `${folder}/SKILL.md`,
        `---\nname: ${name}\ndescription: ${description}\n---\n\n${fields.body ?? `# ${name}\n\nInstructions of ${name}.\n`}`,
      );
    },
    remove: (relative) => rmSync(path(relative), { recursive: true, force: true }),
  };
}
