/** Runs system programs as root with `sudo -n`, which never prompts. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

const TIMEOUT_MS = 10_000;

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** The environment of child processes: no secrets, English output, UTF-8 file names. */
export function safeEnvironment(): Record<string, string> {
  const { HOME = '/', TMPDIR } = process.env;
  return { PATH: searchPath().join(delimiter), HOME, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', ...(TMPDIR && { TMPDIR }) };
}

/** Finds a program in the search path. */
export async function locate(program: string): Promise<string | undefined> {
  for (const folder of searchPath()) {
    const file = join(folder, program);
    const isExecutable = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return file;
  }
  return undefined;
}

/** Runs a program as root; false if that failed, or this process is root itself. */
export async function runAsRoot(program: string, parameters: readonly string[]): Promise<boolean> {
  const [file, sudo] = await Promise.all([locate(program), locate('sudo')]);
  if (file === undefined || sudo === undefined || isRoot()) return false;
  return new Promise((resolve) => {
    const options = { env: safeEnvironment(), cwd: '/', timeout: TIMEOUT_MS };
    execFile(sudo, ['-n', '--', file, ...parameters], options, (error) => resolve(error === null)).stdin?.end();
  });
}

/** Desktops often leave the sbin folders out of PATH. */
const SBIN: ReadonlyMap<string, string> = new Map([
  ['/usr/bin', '/usr/sbin'],
  ['/bin', '/sbin'],
]);

/** Without relative folders, which are unsafe for programs that run as root. */
function searchPath(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return [...new Set([...folders, ...folders.flatMap((folder) => SBIN.get(folder) ?? [])])];
}
