/** Prints differences from the lock. */
import type { Io } from '../io.js';
import { bothValues } from '../surface/report.js';
import { grouped, plain, plural } from '../terminal.js';
import type { LockProblem } from './collect.js';
import type { Lock } from './document.js';
import type { Drift } from './drift.js';

/** Grouped by skill or server, one difference per line. */
export function printDrift(drift: readonly Drift[], io: Io): void {
  const { colors } = io;
  const paint = { added: colors.green, removed: colors.red, changed: colors.yellow, renamed: colors.yellow };
  let group: string | undefined;
  for (const each of drift) {
    if (each.group !== group) io.print(colors.bold(plain(each.group)));
    group = each.group;
    io.print(`  ${paint[each.change](each.change.padEnd(WIDTH))} ${whatOf(each, io)}`);
    if ('differences' in each)
      for (const place of each.differences) io.print(`  ${' '.repeat(WIDTH)}   ${plain(place.path)}: ${bothValues(place, io)}`);
  }
}

export function countsOf(drift: readonly Drift[]): string {
  const count = (change: Drift['change']) => drift.filter((each) => each.change === change).length;
  const renamed = count('renamed');
  return `${count('added')} added, ${count('changed')} changed, ${count('removed')} removed${renamed === 0 ? '' : `, ${renamed} renamed`}`;
}

export function contentOf({ skills, listings }: Lock): string {
  const files = skills.reduce((sum, skill) => sum + skill.files.length, 0);
  return `${plural(skills.length, 'skill')} with ${plural(files, 'file')}, ${plural(listings.length, 'listing')} of servers and packs`;
}

export function printProblems(problems: readonly LockProblem[], io: Io): void {
  for (const { place, message, action } of problems) io.printError(`${plain(place)}: ${plain(message)} ${plain(action)}`);
}

const WIDTH = 'changed'.length;

function whatOf(drift: Drift, io: Io): string {
  if (drift.kind === 'skill') return `skill ${plain(nameIn(drift.before))} → ${plain(nameIn(drift.after))}`;
  if ('name' in drift) return `${drift.kind} ${plain(drift.name)}`;
  if (drift.kind === 'file') return `${plain(drift.uri)}  ${io.colors.dim(sizeText(drift))}`;
  return `${drift.kind}: ${bothValues({ path: '', ...drift }, io)}`;
}

function sizeText(drift: Extract<Drift, { kind: 'file' }>): string {
  if (drift.change === 'added') return plural(drift.after.size, 'byte');
  if (drift.change === 'removed') return plural(drift.before.size, 'byte');
  const { before, after } = drift;
  return before.size === after.size
    ? `${plural(after.size, 'byte')}, content differs`
    : `${grouped(before.size)} → ${plural(after.size, 'byte')}`;
}

function nameIn(uri: string): string {
  return uri.replace(/^skill:\/\//, '');
}
