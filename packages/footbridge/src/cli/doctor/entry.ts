/** A host's entry as the host reads it, with its variables expanded. */
import { resolve } from 'node:path';
import type { HostEntry, Startable } from '../hosts/index.js';
import type { Io } from '../io.js';

/** Whether an entry is for Footbridge, by what it starts or by its name. */
export function isOurs({ isFootbridge, name }: HostEntry): boolean {
  return isFootbridge || /^footbridge(?:$|[-_ @])/i.test(name);
}

/** Expands what hosts expand: the project, the home folder and environment variables. */
export function filledIn(server: Startable, folder: string, io: Io): Startable {
  const fill = (text: string): string =>
    text
      .replace(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, folder)
      .replace(/\$\{userHome\}/g, io.home)
      .replace(
        /\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g,
        (whole, name: string, fallback: string | undefined) => io.env[name] ?? fallback ?? whole,
      );
  const each = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]));
  if (server.kind === 'url') return { ...server, url: fill(server.url), headers: each(server.headers) };
  const { args, command, cwd, env } = server;
  return {
    kind: 'command',
    command: fill(command),
    args: args.map(fill),
    env: each(env),
    ...(cwd === undefined ? {} : { cwd: resolve(folder, fill(cwd)) }),
  };
}

/** Whether it has a value that only the host knows, such as a prompt for its user. */
export function isHostsOwn(server: Startable): boolean {
  return /\$\{(?:input|command|config):/.test(JSON.stringify(server));
}
