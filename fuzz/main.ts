/** `npm run fuzz`: fuzzes, prints what was tried, and saves what was found. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Case, ENTRIES, type Entry } from './case.js';
import { fuzz, type Result } from './fuzz.js';
import { HELP, readOptions } from './options.js';
import { Session } from './session.js';
import type { Places } from './targets/target.js';

const MAX_SHOWN = 300;
/** The exit code of a finding. An uncaught error has 1, and invalid options 2. */
const FOUND = 3;

/** Returns the exit code. */
export async function main(argv: readonly string[], root: string): Promise<number> {
  const options = readOptions(argv);
  if (options === undefined) return print(HELP, 0);
  if (typeof options === 'string') return print(`${options}\n`, 2);
  const session = await Session.open(placesIn(root));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void session.close().finally(() => process.exit(130)));
  try {
    if (options.replay !== undefined) return await replay(session, options.replay);
    print(`seed ${options.seed}, ${options.seconds} s\n`, 0);
    const known = await replay(session, join(root, 'packages', 'footbridge', 'tests', 'corpus'), options.entries);
    if (known !== 0) return known;
    const result = await fuzz(session, { ...options, milliseconds: options.seconds * 1000 });
    print(report(result, session.growth), 0);
    if (result.finding === undefined) return 0;
    const file = save(root, result.finding);
    return print(
      `\nFINDING (seed ${result.finding.seed})\n  ${result.finding.problems.join('\n  ')}\n\nnpm run fuzz -- --replay ${relative(root, file)}\n`,
      FOUND,
    );
  } finally {
    await session.close();
  }
}

export function placesIn(root: string): Places {
  const file = (name: string) => join(root, 'fuzz', name);
  return {
    command: join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs'),
    probe: file('probe.mjs'),
    bench: file('bench.mjs'),
    relay: file('relay.mjs'),
  };
}

/** Runs a saved case, or all of a folder; `quietly` those of some entry points, printing findings alone. */
async function replay(session: Session, path: string, quietly?: readonly Entry[]): Promise<number> {
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  let code = 0;
  for (const file of files) {
    const { case: given }: { case: Case } = JSON.parse(readFileSync(file, 'utf8'));
    if (quietly?.includes(given.entry) === false) continue;
    const { problems, turn } = await session.run(given);
    if (quietly === undefined || problems.length > 0)
      print(`${problems.length === 0 ? 'passed ' : 'FINDING'} ${file}  longest turn ${Math.round(turn.cpu)} ms\n`, 0);
    if (problems.length > 0) code = print(`  ${problems.join('\n  ').slice(0, MAX_SHOWN)}\n`, FOUND);
  }
  print(`${files.length} known cases; memory at most ${Math.round(session.growth)} MiB above its start\n`, 0);
  return code;
}

function report({ counts, slowest, slowestPingMs }: Result, growth: number): string {
  const lines = ENTRIES.map((entry) => {
    const worst = slowest.find((each) => each.entry === entry);
    const what = worst === undefined ? '' : `  longest turn ${worst.cpu.toFixed(1).padStart(5)} ms  ${shown(worst.case)}`;
    return `${entry.padEnd(9)} ${String(counts[entry]).padStart(6)} cases${what}`;
  });
  return `${lines.join('\n')}\nslowest ping ${Math.round(slowestPingMs)} ms; memory at most ${Math.round(growth)} MiB above its start\n`;
}

function shown(given: Case): string {
  const text = JSON.stringify(given);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function save(root: string, finding: object): string {
  const folder = join(root, '.tmp', 'findings');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${new Date().toISOString().replace(/[:.]/g, '-')}.json`);
  writeFileSync(file, `${JSON.stringify(finding, undefined, 2)}\n`);
  return file;
}

function print(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}
