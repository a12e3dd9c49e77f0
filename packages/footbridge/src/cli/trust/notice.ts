/** Reports what is ignored of a file that is not trusted. */
import type { Untrusted } from '../config/index.js';
import type { Io } from '../io.js';
import { selfCommand } from '../this-program.js';

/** One sentence on what is not used, and one on what to do. */
export function trustNotice(untrusted: Untrusted, io: Pick<Io, 'cwd' | 'env'>): string {
  return `footbridge.json ${stateOf(untrusted)}, so ${heldParts(untrusted)} ${isOne(untrusted) ? 'is' : 'are'} not used. ${trustAction(io)}`;
}

/** With the folder: a host's log is read elsewhere. */
export function trustAction({ cwd, env }: Pick<Io, 'cwd' | 'env'>): string {
  const folder = /^[\w@%+=:,./~-]+$/.test(cwd) ? cwd : JSON.stringify(cwd);
  return `Review it, then run: ${selfCommand({ cwd, env })} trust ${folder}`;
}

export function stateOf({ isChanged }: Untrusted): string {
  return isChanged ? 'has changed since it was trusted' : 'is not trusted yet';
}

function isOne({ folders, hostFolders, http, packs, scan, secrets, servers, sources, updates, variables }: Untrusted): boolean {
  const names = [folders, packs, servers, sources, variables];
  return names.flat().length + [hostFolders, http, secrets, updates, scan].filter(Boolean).length === 1;
}

/** What of a file is not used, for people. */
export function heldParts({ folders, hostFolders, http, packs, scan, secrets, servers, sources, updates, variables }: Untrusted): string {
  const some = (what: string, names: readonly string[]) => (names.length === 0 ? [] : [`its ${what} (${names.join(', ')})`]);
  const parts = [
    ...some(servers.length === 1 ? 'server' : 'servers', servers),
    ...some(packs.length === 1 ? 'pack' : 'packs', packs),
    ...some(folders.length === 1 ? 'folder outside the project' : 'folders outside the project', folders),
    ...some(sources.length === 1 ? 'source outside the project' : 'sources outside the project', sources),
    ...some(variables.length === 1 ? 'variable' : 'variables', variables),
    ...(hostFolders ? ['"skillFolders"'] : []),
    ...(secrets ? ['"serveSecrets"'] : []),
    ...(updates ? ['"update"'] : []),
    ...(scan ? ['"scan"'] : []),
    ...(http ? ['"http"'] : []),
  ];
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)].filter((part) => part !== '').join(' and ');
}
