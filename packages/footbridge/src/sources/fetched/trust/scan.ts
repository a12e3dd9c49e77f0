/** Runs an external scanner on new content, and refuses what it reports as an error. Its output is SARIF. */
import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { echo } from '../../../errors.js';
import { asText, isFields, parseJson } from '../../../json.js';
import { isInside } from '../../skills/folders.js';
import { FetchError } from '../fetch-error.js';
import type { FoundSkill } from '../tree.js';

const SCAN_TIMEOUT_MS = 300_000;
const LONGEST_OUTPUT = 16 * 1024 * 1024;

interface Scanning {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** The folder of the configuration, where the command runs. */
  readonly folder: string;
  readonly temporary: string;
}

/** Throws a `FetchError` if the scanner finds an error, or if it fails. */
export async function scanContent(command: readonly string[], skills: readonly FoundSkill[], scanning: Scanning): Promise<void> {
  const [program, ...args] = command;
  if (program === undefined) return;
  const folder = join(scanning.temporary, 'scanned');
  await copySkills(skills, folder);
  const { code, output } = await outputOf(program, [...args, folder], scanning);
  const document = parseJson(output);
  if (!isFields(document) || !Array.isArray(document['runs']))
    throw new FetchError(
      `The scanner "${echo(program)}" did not report a result${code === 0 ? '' : `, and ended with ${code ?? 'a signal'}`}.`,
      'It has to write SARIF to stdout. Nothing was added.',
    );
  const errors = document['runs'].flatMap(errorsIn);
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length > 1 ? ` It found ${errors.length - 1} more.` : '';
  throw new FetchError(
    `The scanner "${echo(program)}" refuses it: ${echo(first)}${more}`,
    'Nothing was added. Review the content, or report it to its publisher.',
  );
}

/** Under their own names, and not executable. */
async function copySkills(skills: readonly FoundSkill[], folder: string): Promise<void> {
  for (const { folder: own, path, staged } of skills)
    for (const file of staged) {
      const target = join(folder, own, path === '' ? file.path : file.path.slice(path.length + 1));
      if (!isInside(folder, target)) throw new Error('a skill leads out of its folder');
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await writeFile(target, file.read(), { flag: 'wx', mode: 0o600 });
    }
}

function outputOf(program: string, args: readonly string[], { env, folder, signal }: Scanning) {
  return new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const stop = AbortSignal.any([signal, AbortSignal.timeout(SCAN_TIMEOUT_MS)]);
    const child = spawn(program, args, { cwd: folder, env, signal: stop, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'ignore'] });
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > LONGEST_OUTPUT) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.once('error', () => {
      const why = signal.aborted ? 'was stopped' : stop.aborted ? 'did not end in time' : 'cannot be started';
      reject(new FetchError(`The scanner "${echo(program)}" ${why}.`, 'Correct "scan" in footbridge.json. Nothing was added.'));
    });
    child.once('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** The messages of results with the level `error`, which a rule may have instead of the result. */
function errorsIn(run: unknown): readonly string[] {
  if (!isFields(run) || !Array.isArray(run['results'])) return [];
  const levels = ruleLevels(run);
  return run['results'].flatMap((result: unknown) => {
    if (!isFields(result)) return [];
    const { level = levels.get(asText(result['ruleId'])) ?? 'warning', message } = result;
    if (level !== 'error') return [];
    const text = isFields(message) && typeof message['text'] === 'string' ? message['text'] : asText(result['ruleId'] ?? 'an error');
    return [text];
  });
}

function ruleLevels(run: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const driver = isFields(run['tool']) ? run['tool']['driver'] : undefined;
  const rules = isFields(driver) && Array.isArray(driver['rules']) ? driver['rules'] : [];
  return new Map(
    rules.flatMap((rule: unknown) => {
      const settings = isFields(rule) ? rule['defaultConfiguration'] : undefined;
      return isFields(rule) && isFields(settings) ? [[asText(rule['id']), settings['level']] as const] : [];
    }),
  );
}
