/** Reads a configuration from its file. Loaded only where there is one. */
import { createReadStream } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemCode } from '../../errors.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { decodeText } from '../../text.js';
import type { Surroundings } from '../io.js';
import { checkDocument } from './check.js';
import { readDocument } from './document.js';
import type { Config } from './index.js';
import { ConfigError, configError } from './problems.js';

const LARGEST = 1024 * 1024;

/** Throws a ConfigError that names every problem when the file is missing or bad. */
export async function loadConfig(file: string, { cwd, env, home }: Pick<Surroundings, 'cwd' | 'env' | 'home'>): Promise<Config> {
  const name = normalize(file);
  const path = resolve(cwd, file);
  const text = await readText(path, name);
  const document = readDocument(text, env);
  const checked = 'root' in document ? checkDocument(document) : { ok: false as const, problems: document.problems };
  if (!checked.ok) throw configError(name, text, checked.problems);
  const { skills = [], standardFolders, locked, mcpServers = {}, packs = [], tools = {}, identity, http = {} } = checked.config;
  const folder = dirname(path);
  return {
    file: name,
    skills: skills.map((each) => skillFolder(each, folder, cwd)),
    standardFolders,
    locked,
    mcpServers: Object.fromEntries(
      Object.entries(mcpServers).flatMap(([each, server]) => (server === undefined ? [] : [[each, placed(server, folder, home)]])),
    ),
    packs: packs.map((pack) => (typeof pack === 'string' ? { name: pack } : { name: pack[0], options: pack[1] })),
    tools,
    identity,
    http,
  };
}

async function readText(file: string, name: string): Promise<string> {
  // No more than that is read of a device that never ends.
  const bytes = await buffer(createReadStream(file, { end: LARGEST })).catch((cause: unknown) => {
    throw unreadable(name, systemCode(cause));
  });
  if (bytes.length > LARGEST) throw new ConfigError(`${name} is larger than 1 MiB.\nIs it the right file?`);
  const text = decodeText(bytes);
  if (text === undefined) throw new ConfigError(`${name} is not UTF-8.\nSave it as UTF-8.`);
  return text.replace(/^\uFEFF/, '');
}

function unreadable(name: string, code: string | undefined): ConfigError {
  if (code === 'ENOENT') return new ConfigError(`File ${name} not found.\nCreate it, or correct --config.`);
  if (code === 'EISDIR') return new ConfigError(`${name} is a folder.\nName a file: --config FILE`);
  return new ConfigError(`${name} cannot be read (${code ?? 'unknown error'}).\nCheck its permissions.`);
}

/** A name that is right from the working folder stays as the person wrote it, since hosts see it. */
function skillFolder(name: string, folder: string, cwd: string): string {
  if (name === '~') return '~/';
  return name.startsWith('~/') || folder === cwd ? name : resolve(folder, name);
}

/** With its working folder made absolute, for which `~/` is the home: no shell reads the file. */
function placed(server: UpstreamServer, folder: string, home: string): UpstreamServer {
  if (!('cwd' in server) || server.cwd === undefined) return server;
  const { cwd } = server;
  return { ...server, cwd: cwd === '~' || cwd.startsWith('~/') ? join(home, cwd.slice(1)) : resolve(folder, cwd) };
}
