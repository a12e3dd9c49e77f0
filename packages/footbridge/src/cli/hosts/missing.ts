/** Whether what an entry of a host starts is on this machine. */
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import type { Startable } from './entries.js';
import { startsFootbridge } from './ours.js';

/** What an entry names that is not here, in a sentence; undefined where all is there. */
export function whatIsMissing(
  server: Startable,
  folder: string,
): { readonly kind: 'path' | 'command'; readonly message: string } | undefined {
  if (server.kind === 'url') return undefined;
  const { args, command, cwd = folder, env } = server;
  if (statOf(cwd)?.isDirectory() !== true) return { kind: 'path', message: `Its working folder ${cwd} does not exist.` };
  const isPath = /[/\\]/.test(command);
  const files = isPath ? named(cwd, command) : pathFolders(env).flatMap((each) => named(each, command));
  if (isPath && !files.some((file) => statOf(file) !== undefined)) return { kind: 'path', message: `Program ${command} not found.` };
  if (!files.some(isProgram))
    return { kind: 'command', message: isPath ? `${command} is not executable.` : `Command ${command} not found on the PATH.` };
  // What Footbridge is given it speaks of itself.
  if (startsFootbridge(command, [])) return undefined;
  // The script that an interpreter is given, after its options, which Windows begins with a slash; what comes after it belongs to the script.
  const script = args.find((word) => !/^-|^\/\w$/.test(word));
  if (script !== undefined && isAbsolute(script) && statOf(script) === undefined)
    return { kind: 'path', message: `File ${script} not found.` };
  return undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function pathFolders(env: Readonly<Record<string, string>>): readonly string[] {
  return (env['PATH'] ?? process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
}

/** The files that a name in a folder may mean. */
function named(folder: string, name: string): readonly string[] {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.ps1'] : [''];
  return endings.map((ending) => resolve(folder, name + ending));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
