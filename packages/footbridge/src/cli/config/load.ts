/** Reads a configuration from its file. Loaded only where there is one. */
import { createReadStream } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, normalize, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { systemCode } from '../../errors.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { decodeText } from '../../text.js';
import { checkDocument } from './check.js';
import { readDocument } from './document.js';
import type { Config } from './index.js';
import { ConfigError, refusal } from './problems.js';

const LARGEST = 1024 * 1024;

/** Throws a ConfigError that names every problem when the file is missing or bad. */
export async function loadConfig(file: string, environment: NodeJS.ProcessEnv): Promise<Config> {
  const name = normalize(file);
  const text = await readText(file, name);
  const document = readDocument(text, environment);
  const checked = 'root' in document ? checkDocument(document) : { ok: false as const, problems: document.problems };
  if (!checked.ok) throw refusal(name, text, checked.problems);
  const { skills = [], standardFolders, locked, mcpServers = {}, packs = [], tools = {}, identity, http = {} } = checked.config;
  const folder = dirname(resolve(file));
  return {
    file: name,
    skills: skills.map((each) => skillFolder(each, folder)),
    standardFolders,
    locked,
    mcpServers: Object.fromEntries(
      Object.entries(mcpServers).flatMap(([each, server]) => (server === undefined ? [] : [[each, placed(server, folder)]])),
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
  if (code === 'ENOENT') return new ConfigError(`There is no file ${name}.\nCreate it, or correct --config.`);
  if (code === 'EISDIR') return new ConfigError(`${name} is a folder.\nName the file in it: --config FILE`);
  return new ConfigError(`${name} cannot be read (${code ?? 'unknown error'}).\nCheck its permissions.`);
}

/** A name that is right from the working folder stays as the person wrote it, since hosts see it. */
function skillFolder(name: string, folder: string): string {
  if (name === '~') return '~/';
  return name.startsWith('~/') || folder === process.cwd() ? name : resolve(folder, name);
}

/** With its working folder made absolute, for which `~/` is the home: no shell reads the file. */
function placed(server: UpstreamServer, folder: string): UpstreamServer {
  if (!('cwd' in server) || server.cwd === undefined) return server;
  const { cwd } = server;
  return { ...server, cwd: cwd === '~' || cwd.startsWith('~/') ? join(homedir(), cwd.slice(1)) : resolve(folder, cwd) };
}
