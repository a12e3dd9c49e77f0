/** What changes for each host, on one line each. */
import { relative } from 'node:path';
import { type HostPlace, shortName } from '../hosts/index.js';
import type { Io } from '../io.js';
import { plain } from '../terminal.js';
import type { FileChange } from './change.js';
import { ALREADY_INSTALLED } from './plan-install.js';

/** Reasons and notes follow the last host that reads the file. */
export function printHostLines(changes: readonly FileChange[], io: Io): void {
  const { colors } = io;
  const rows = changes.flatMap((change) => change.places.map((place) => [place.host.title, actionOf(change), fileName(place, io)]));
  const lines = io.tableLines([{ paint: colors.bold }, {}, {}], rows);
  for (const { notes, places, reasons } of changes) {
    io.printExactly(lines.splice(0, places.length).join('\n'));
    for (const reason of reasons) io.printItem('  ', `${colors.red('Not done:')} ${plain(reason)}`);
    for (const note of notes) if (note !== ALREADY_INSTALLED) io.printItem('  ', note);
  }
}

const ACTIONS: Readonly<Record<FileChange['action'], string>> = {
  create: 'new file',
  change: 'change',
  remove: 'remove',
  none: 'no change',
  refused: 'no change',
};

function actionOf({ action, notes, wrapped }: FileChange): string {
  if (notes.includes(ALREADY_INSTALLED)) return 'already installed';
  const names = Object.keys(wrapped);
  return names.length === 0 ? ACTIONS[action] : `${ACTIONS[action]}, wrap ${names.map(plain).join(', ')}`;
}

/** In a project from its folder, otherwise from the home folder. */
export function fileName({ file, scope }: HostPlace, { cwd }: Pick<Io, 'cwd'>): string {
  return scope === 'project' ? relative(cwd, file) : shortName(file);
}
