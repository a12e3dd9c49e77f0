/** Doing one small thing as root, for what sos left that belongs to root. Never asks for a password. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const LIMIT_MS = 10_000;

/** Whether this process may do what sos needs by itself. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** The variables a program of the system gets from us: enough to work, and no secret. */
export function safeEnvironment(): Record<string, string> {
  const { HOME = '/', TMPDIR } = process.env;
  return {
    PATH: searchPath().join(delimiter),
    HOME,
    // Its words in English, and every file name readable.
    LANG: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
  };
}

/** Where a program is. */
export async function locate(program: string): Promise<string | undefined> {
  for (const folder of searchPath()) {
    const file = join(folder, program);
    const usable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) return file;
  }
  return undefined;
}

/** Runs a program as root, and says whether that worked. */
export async function elevated(program: string, parameters: readonly string[]): Promise<boolean> {
  const [file, sudo] = await Promise.all([locate(program), locate('sudo')]);
  if (file === undefined || sudo === undefined || isRoot()) return false;
  return new Promise((resolve) => {
    const options = { env: safeEnvironment(), cwd: '/', timeout: LIMIT_MS };
    execFile(sudo, ['-n', '--', file, ...parameters], options, (failed) => resolve(failed === null)).stdin?.end();
  });
}

/** For programs of the administrator, which a desktop leaves out of the PATH of what it starts. */
const BESIDE: ReadonlyMap<string, string> = new Map([
  ['/usr/bin', '/usr/sbin'],
  ['/bin', '/sbin'],
]);

/** PATH, and what belongs to it. Relative entries are not for something that may run as root. */
function searchPath(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set([...folders, ...folders.flatMap((folder) => BESIDE.get(folder) ?? [])])];
}
