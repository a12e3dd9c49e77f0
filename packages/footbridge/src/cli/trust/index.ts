/** `footbridge trust`: lets what a project's files name run, after review. */
import { canAsk, consent, refusalFields } from '../asking.js';
import { CONFIG_FILE } from '../config/index.js';
import { readConfig } from '../config/load.js';
import { ConfigError } from '../config/problems.js';
import { fromHome, statOf, withoutLinks } from '../folders.js';
import type { Io } from '../io.js';
import { plain, plural } from '../terminal.js';
import { selfCommand } from '../this-program.js';
import { configDigest, needsTrust } from './check.js';
import { effectsOf, entryLine } from './describe.js';
import { type ProjectEntry, projectEntries } from './entries.js';
import { allTrust, readTrust, removeTrust, writeTrust } from './record.js';

interface TrustOptions {
  readonly yes?: boolean;
  readonly list?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** Returns 1 if nothing was trusted that needs it. Throws if the configuration is invalid. */
export async function trust(named: string, options: TrustOptions, io: Io): Promise<number> {
  if (options.list === true) return list(options, io);
  const place = inFolder(named, io);
  if (options.remove === true) return remove(place.cwd, options, io);
  const found = await whatNeedsTrust(place);
  const { effects, folder, isTrusted } = found;
  const shown = plain(fromHome(folder, io));
  if (effects.length === 0 || isTrusted) {
    const isNothing = effects.length === 0;
    if (options.json === true) io.printJson({ folder, effects, trusted: !isNothing, written: false });
    else io.print(isNothing ? `Nothing in ${shown} needs trust.` : `${shown} is trusted as it is now.`);
    return 0;
  }
  if (options.json !== true) {
    io.print(`If you trust ${shown} as it is now, it may:`);
    for (const line of effects) io.printItem('  - ', line);
  }
  const unasked = 'Nothing was trusted. Review it, then run the command again with --yes.';
  const answer = await consent('Trust it?', options, io, { unasked });
  const isAgreed = answer.given;
  if (isAgreed) await writeTrust(found.record, io);
  if (options.json === true) io.printJson({ folder, effects, trusted: isAgreed, written: isAgreed, ...refusalFields(answer) });
  else if (isAgreed) io.print(`Trusted until it changes. To undo it, run: footbridge trust --remove${named === '.' ? '' : ` ${named}`}`);
  return isAgreed ? 0 : 1;
}

/** After an installation: asks at a terminal, otherwise prints the command to run. Silent if nothing needs trust, or the file is invalid. */
export async function offerFolder(isQuiet: boolean, io: Io): Promise<void> {
  const found = await whatNeedsTrust(io).catch((error: unknown) => {
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
  if (found === undefined || found.effects.length === 0 || found.isTrusted) return;
  if (!isQuiet && canAsk(io)) await trust('.', {}, io);
  else io.print(`This project runs programs only after you trust it. Review it, then run: ${selfCommand(io)} trust`);
}

/** After a change of footbridge.json by a command of the person: what was trusted, or needed no trust, is trusted as it is now. */
export async function renewTrust(io: Io): Promise<void> {
  const file = await configOf(io);
  const folder = withoutLinks(io.cwd);
  if (file !== undefined) await writeTrust({ folder, entries: readTrust(folder, io)?.entries ?? [], digest: file.digest }, io);
}

/** Throws if it is no folder. */
function inFolder(named: string, io: Io): Io {
  const folder = io.path(named);
  if (statOf(folder)?.isDirectory() !== true)
    throw new Error(`Folder ${plain(named)} not found. Name the folder that contains footbridge.json.`);
  return io.with({ cwd: folder });
}

async function whatNeedsTrust(io: Io) {
  const folder = withoutLinks(io.cwd);
  const before = readTrust(folder, io);
  const file = await configOf(io);
  const entries = await projectEntries(io);
  const digests = entries.map(({ digest }) => digest).sort();
  return {
    folder,
    effects: [...(file?.effects ?? []), ...entries.map((each: ProjectEntry) => entryLine(each.file, each.entry))],
    isTrusted: before?.digest === file?.digest && digests.every((digest) => before?.entries.includes(digest) === true),
    record: { folder, entries: digests, ...(file === undefined ? {} : { digest: file.digest }) },
  };
}

/** Undefined if nothing in it needs trust. */
async function configOf(io: Io): Promise<{ readonly effects: readonly string[]; readonly digest: string } | undefined> {
  if (statOf(io.path(CONFIG_FILE)) === undefined) return undefined;
  const { config, text } = await readConfig(CONFIG_FILE, io);
  const needs = needsTrust(config, text, io);
  return needs === undefined ? undefined : { digest: await configDigest(config, text, io), effects: effectsOf(text, needs) };
}

async function remove(cwd: string, { json }: TrustOptions, io: Io): Promise<number> {
  const folder = withoutLinks(cwd);
  const wasTrusted = readTrust(folder, io) !== undefined;
  await removeTrust(folder, io);
  if (json === true) io.printJson({ folder, removed: wasTrusted });
  else io.print(`${plain(fromHome(folder, io))} ${wasTrusted ? 'is no longer trusted from the next start.' : 'was not trusted.'}`);
  return 0;
}

function list({ json }: TrustOptions, io: Io): number {
  const all = allTrust(io).map(({ folder, time }) => ({ folder, time, exists: statOf(folder)?.isDirectory() === true }));
  if (json === true) {
    io.printJson({ trusted: all });
    return 0;
  }
  for (const { exists, folder, time } of all)
    io.print(`${plain(fromHome(folder, io))}  ${io.colors.dim(`since ${time.slice(0, 10)}${exists ? '' : ', no longer there'}`)}`);
  io.print(all.length === 0 ? 'No folder is trusted yet.' : plural(all.length, 'folder'));
  return 0;
}
