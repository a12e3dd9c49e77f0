/** The files of cases, in a folder of their own. */
import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { makeFolders } from '../../packages/footbridge/src/private-folder.js';
import type { FileText, SkillCase } from '../case.js';
import { textOf } from '../value.js';

/** The configuration of hosts, in a project or in the home, in three formats. */
export const HOST_FILES: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['.mcp.json'],
  cursor: ['.cursor/mcp.json'],
  vscode: ['.vscode/mcp.json'],
  opencode: ['opencode.json', 'opencode.jsonc'],
  'gemini-cli': ['.gemini/settings.json'],
  zed: ['.zed/settings.json'],
  codex: ['~/.codex/config.toml'],
  goose: ['~/.config/goose/config.yaml'],
};

/** Writes what lies inside the folder, and nothing else. Returns what answers may repeat. */
export function writeSkills({ crowd = 0, files, folders, links }: SkillCase, folder: string): string {
  makeFolders(join(folder, 'first'));
  const asked = writeFiles(files, folder);
  for (const { path, target } of links) attempt(folder, textOf(path), (file) => symlinkSync(textOf(target), file));
  for (let index = 0; index < folders; index++) makeFolders(join(folder, 'first', `folder-${index}`));
  if (crowd > 0) writeCrowd(join(folder, 'first', 'crowd'), crowd);
  return asked;
}

/** Names of one file: writing so many would take longer than all else. */
function writeCrowd(folder: string, count: number): void {
  makeFolders(folder);
  for (let index = 0; index < count; index++) {
    // A file has at most some ten thousand names.
    const first = join(folder, `${index - (index % NAMES)}.md`);
    if (index % NAMES === 0) writeFileSync(first, 'text');
    else linkSync(first, join(folder, `${index}.md`));
  }
}

const NAMES = 10_000;

export function writeFiles(files: readonly FileText[], folder: string): string {
  const asked: string[] = [];
  for (const { path, text } of files) {
    const [name, content] = [textOf(path), textOf(text)];
    asked.push(name, content);
    attempt(folder, name, (file) => writeFileSync(file, content));
  }
  return asked.join('\n');
}

function attempt(folder: string, name: string, write: (file: string) => void): void {
  const file = resolve(folder, name);
  if (!file.startsWith(folder + sep)) return;
  try {
    makeFolders(dirname(file));
    write(file);
  } catch {
    // A name that the file system does not have.
  }
}
