/** Drives every host, checks what its model gets, prints the results, and writes docs/hosts.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, checksOf, type HostResult } from './checks.js';
import { SHAPE_TITLES } from './corpus/texts.js';
import type { Host } from './host.js';
import { HOSTS } from './hosts/index.js';
import { installHost } from './install.js';
import { fieldOf, parsed } from './json.js';
import {
  measureAlone,
  measureCatalogue,
  measureFolders,
  measureInstructions,
  measureShape,
  type Programs,
  type Subject,
} from './measure.js';
import { help, type Options, readOptions } from './options.js';
import { RECORDED, type Recording, record, withRecordings } from './recording.js';
import { hostsPage } from './report.js';
import { measureSync } from './sync.js';

const KILOBYTES = [5, 15, 30, 60, 300];

/** The root of the repository, and the built programs of the rig. */
export interface Places {
  readonly root: string;
  readonly tap: string;
  readonly otherServer: string;
}

/** Returns the exit code. */
export async function main(argv: readonly string[], { root, tap, otherServer }: Places): Promise<number> {
  const options = readOptions(argv, HOSTS);
  if (options === undefined) {
    process.stdout.write(help(HOSTS));
    return 0;
  }
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n`);
    return 2;
  }
  // On exit, unlike on a signal, hosts are ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const programs = { footbridge: join(root, 'packages', 'footbridge', 'bin', 'footbridge.cjs'), tap, otherServer };
  if (options.isRecording || options.isWholeRun) await writeRecordings(programs, root);
  if (options.isRecording) return 0;
  const results: HostResult[] = [];
  for (const host of options.hosts) results.push(await measureHost(host, programs, options));

  const page = hostsPage(results, { date: today(), footbridge: versionOf(root) });
  if (options.isWholeRun) writeFileSync(join(root, 'docs', 'hosts.md'), page);
  const checks = results.flatMap(checksOf);
  process.stdout.write(options.isJson ? `${JSON.stringify({ results, checks }, null, 2)}\n` : page);
  const passed = checks.filter(({ isPassed }) => isPassed).length;
  // Last, also after JSON, which then is alone on stdout.
  (options.isJson ? process.stderr : process.stdout).write(`\n${passed} passed, ${checks.length - passed} failed\n`);
  return passed === checks.length && passed > 0 ? 0 : 1;
}

async function writeRecordings(programs: Programs, root: string): Promise<void> {
  const file = join(root, 'docs', 'what-a-model-sees.md');
  const recordings: Recording[] = [];
  for (const host of HOSTS.filter(({ id }) => RECORDED.includes(id)))
    recordings.push(await record({ host, installed: installHost(host), programs }, root));
  writeFileSync(file, withRecordings(readFileSync(file, 'utf8'), recordings, today()));
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

async function measureHost(host: Host, programs: Programs, { counts }: Options): Promise<HostResult> {
  const { id, title, version, searchesFirst = false } = host;
  const result = { id, title, version, searchesFirst };
  progress(`${title} ${version}`);
  try {
    const subject = { host, installed: installHost(host), programs };
    return { ...result, ...(await measureAll(subject, counts, result)) };
  } catch (error) {
    return { ...result, catalogue: [], texts: [], folders: [], problem: (error as Error).message };
  }
}

async function measureAll(subject: Subject, counts: readonly number[], result: Omit<HostResult, 'catalogue' | 'texts' | 'folders'>) {
  const catalogue: HostResult['catalogue'][number][] = [];
  const texts: HostResult['texts'][number][] = [];
  const show = (part: Partial<HostResult>) => checksOf({ ...result, catalogue: [], texts: [], folders: [], ...part }).forEach(progressOf);
  for (const setting of [undefined, ...(subject.host.settings ?? [])]) {
    const alone = await measureAlone(subject, setting);
    for (const count of counts) {
      const row = await measureCatalogue(subject, count, alone, setting);
      catalogue.push(row);
      show({ catalogue: [row] });
    }
  }
  const measures = [
    ...KILOBYTES.map((kilobytes) => () => measureInstructions(subject, kilobytes)),
    ...SHAPE_TITLES.map((shape) => () => measureShape(subject, shape)),
  ];
  for (const measure of measures) {
    const row = await measure();
    texts.push(row);
    show({ texts: [row] });
  }
  const folders = await measureFolders(subject);
  show({ folders });
  const sync = await measureSync(subject);
  show({ sync });
  return { catalogue, texts, folders, sync };
}

function progressOf({ title, isPassed, detail }: Check): void {
  progress(isPassed ? `  passed  ${title}` : `  FAILED  ${title}: ${detail}`);
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

function versionOf(root: string): string {
  return String(fieldOf(parsed(readFileSync(join(root, 'packages', 'footbridge', 'package.json'), 'utf8')), 'version'));
}
