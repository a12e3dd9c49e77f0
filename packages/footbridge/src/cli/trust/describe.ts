/** What a file would run if it was trusted, for review: as it is written there, without the values of variables. */
import { parse } from 'jsonc-parser';
import { asText, type Fields, isFields } from '../../json.js';
import type { Untrusted } from '../config/index.js';
import { variablesIn } from '../config/variables.js';
import type { HostEntry } from '../hosts/index.js';
import { visibleJson } from '../terminal.js';

/** One line each. The file must be valid. */
export function effectsOf(text: string, { folders, sources }: Pick<Untrusted, 'folders' | 'sources'>): readonly string[] {
  const document: unknown = parse(text, [], { allowTrailingComma: true });
  if (!isFields(document)) return [];
  const { hosts, http, mcpServers, packs, serveSecrets, trust, update } = document;
  const servers = isFields(mcpServers) ? Object.entries(mcpServers) : [];
  const variables = [...new Set([...variablesIn(text), ...secretVariables(servers.map(([, server]) => server)).map(shownWord)])];
  return [
    ...servers.flatMap(([name, server]) => (isFields(server) && server['disabled'] !== true ? [serverLine(name, server)] : [])),
    ...(Array.isArray(packs) ? packs : []).map((pack) => `load the pack ${shownWord(asText(Array.isArray(pack) ? pack[0] : pack))}`),
    ...folders.map((folder) => `serve the skills in ${shownWord(folder)}`),
    ...sources.map((source) => `copy skills from ${shownWord(source)} when they are fetched`),
    ...hostFolders(hosts).map((folder) => `have sync write skills to ${shownWord(folder)}`),
    ...(serveSecrets === true ? ['serve files of skills that are likely to contain secrets, also of your own skills'] : []),
    ...(update === undefined ? [] : ['have serve --http fetch new versions of its sources']),
    ...(isFields(trust) && Array.isArray(trust['scan']) ? [`run the scanner ${trust['scan'].map(String).map(shownWord).join(' ')}`] : []),
    ...(isFields(http) && Object.keys(http).length > 0 ? ['decide who may connect with serve --http'] : []),
    ...(variables.length === 0 ? [] : [`use your environment variables ${variables.join(', ')}`]),
  ];
}

/** Those of a project, and those of the home folder. */
function hostFolders(hosts: unknown): readonly string[] {
  const profiles = isFields(hosts) ? Object.values(hosts) : [];
  return profiles.flatMap((profile) => {
    const folders = isFields(profile) && isFields(profile['skillFolders']) ? profile['skillFolders'] : {};
    const named = (key: string, place: string) => {
      const listed = folders[key];
      return (Array.isArray(listed) ? listed : []).map((folder) => `${place}/${asText(folder)}`);
    };
    return [...named('project', '.'), ...named('home', '~')];
  });
}

function serverLine(name: string, { args, command, cwd, env, headers, oauth, url }: Fields): string {
  const label = shownWord(name);
  if (typeof command !== 'string')
    return `connect to ${label}: ${shownWord(asText(url))}${namesIn(' with the headers', headers)}${signInText(oauth)}`;
  const words = [command, ...(Array.isArray(args) ? args : []).map(String)];
  return `start ${label}: ${words.map(shownWord).join(' ')}${folderText(cwd)}${namesIn(' with the variables', env)}`;
}

function folderText(folder: unknown): string {
  return typeof folder === 'string' && !/^(?:\.\/?)?$/.test(folder) ? ` in the folder ${shownWord(folder)}` : '';
}

/** Where a secret would be sent, and which. */
function signInText(oauth: unknown): string {
  if (!isFields(oauth)) return '';
  const { clientKeyEnv, clientKeyFile, clientSecretEnv, issuer } = oauth;
  const named = (what: string, value: unknown) => (typeof value === 'string' ? [`${what} ${shownWord(value)}`] : []);
  const parts = [
    ...named('at', issuer),
    ...named('with the secret in the variable', clientSecretEnv),
    ...named('with the key in the variable', clientKeyEnv),
    ...named('with the key in the file', clientKeyFile),
  ];
  return parts.length === 0 ? '' : `, signing in ${parts.join(' ')}`;
}

/** Variables that hold a secret to sign in with. */
function secretVariables(servers: readonly unknown[]): readonly string[] {
  return servers.flatMap((server) => {
    const { clientKeyEnv, clientSecretEnv } = isFields(server) && isFields(server['oauth']) ? server['oauth'] : {};
    return [clientSecretEnv, clientKeyEnv].filter((each) => typeof each === 'string');
  });
}

/** The values may be secrets. */
function namesIn(what: string, values: unknown): string {
  const names = isFields(values) ? Object.keys(values) : [];
  return names.length === 0 ? '' : `${what} ${names.map(shownWord).join(', ')}`;
}

export function entryLine(file: string, { fields, name, server }: HostEntry): string {
  if (server.kind === 'unknown') return `${shownWord(file)}: ${shownWord(name)}`;
  const what = server.kind === 'url' ? [server.url] : [server.command, ...server.args];
  const given =
    server.kind === 'url'
      ? namesIn(' with the headers', server.headers)
      : `${folderText(fields['cwd'])}${namesIn(' with the variables', server.env)}`;
  return `let doctor start ${shownWord(name)} of ${shownWord(file)}: ${what.map(shownWord).join(' ')}${given}`;
}

const LONGEST = 500;

/** Quoted where it has spaces or characters that a terminal could hide. */
export function shownWord(word: string): string {
  const shown = /^[\w@%+=:,./~${}*?-]+$/.test(word) ? word : visibleJson(word);
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}… (${word.length} characters)` : shown;
}
