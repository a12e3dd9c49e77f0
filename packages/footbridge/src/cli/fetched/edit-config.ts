/** Adds and removes a source in the text of `footbridge.json`, and keeps everything else. */
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { applyEdits, modify, parse } from 'jsonc-parser';
import { systemCode } from '../../errors.js';
import { isFields } from '../../json.js';
import { makeFolders } from '../../private-folder.js';
import { FetchError } from '../../sources/fetched/fetch-error.js';
import type { ServerSetting } from '../../sources/fetched/plugins/servers.js';
import { findConfig } from '../config/index.js';
import { readConfig } from '../config/load.js';
import { isSameValue, setValue } from '../install/text/index.js';
import type { Io } from '../io.js';
import { trustConfig } from '../trust/offer.js';
import type { SourcesPlace } from './place.js';

/** As in the file: a specification, or an object with the chosen skills. */
export type SourceSetting = string | { readonly source: string; readonly skills: readonly string[] };

/** Adds it, or replaces the one with the same specification. */
export function addSource(place: SourcesPlace, setting: SourceSetting, io: Io): Promise<void> {
  return editSources(place, io, (settings) => {
    const at = settings.findIndex((each) => nameOf(each) === nameOf(setting));
    return at === -1 ? { at: settings.length, insert: setting } : { at, replace: setting };
  });
}

export function removeSource(place: SourcesPlace, source: string, io: Io): Promise<void> {
  return editSources(place, io, (settings) => {
    const at = settings.findIndex((each) => nameOf(each) === source);
    return at === -1 ? undefined : { at, remove: true };
  });
}

/** Names and settings in `mcpServers`, as they are written. */
export function serversIn(place: SourcesPlace, io: Io): Readonly<Record<string, unknown>> {
  const document: unknown = parse(textOf(realPath(resolve(io.cwd, place.file))) ?? '{}', [], { allowTrailingComma: true });
  const servers = isFields(document) ? document['mcpServers'] : undefined;
  return isFields(servers) ? servers : {};
}

/** Adds servers under unused names. A file that requires trust has to be trusted again. */
export async function addServers(place: SourcesPlace, servers: Readonly<Record<string, ServerSetting>>, io: Io): Promise<void> {
  const file = realPath(resolve(io.cwd, place.file));
  let text = textOf(file) ?? '';
  for (const [name, setting] of Object.entries(servers)) {
    const next = await setValue('json', text, ['mcpServers', name], setting);
    if (next === undefined)
      throw new FetchError(`${place.file} cannot be edited.`, `Add this to "mcpServers" in it: ${JSON.stringify({ [name]: setting })}`);
    text = next;
  }
  write(file, text, place);
}

type Edit = { readonly at: number } & (
  | { readonly insert: SourceSetting }
  | { readonly replace: SourceSetting }
  | { readonly remove: true }
);

async function editSources(place: SourcesPlace, io: Io, choose: (settings: readonly unknown[]) => Edit | undefined): Promise<void> {
  const file = realPath(resolve(io.cwd, place.file));
  const before = textOf(file);
  const document: unknown = parse(before ?? '{}', [], { allowTrailingComma: true });
  const settings = isFields(document) && Array.isArray(document['sources']) ? document['sources'] : [];
  const edit = choose(settings);
  if (edit === undefined) return;
  const after = await edited(before ?? '', settings, edit, place);
  // A file that only Footbridge wrote needs no review.
  const wasTrusted = before === undefined ? isFound(place, io) : await isTrusted(place, io);
  write(file, after, place);
  if (wasTrusted) await trustAgain(place, io);
}

async function edited(text: string, settings: readonly unknown[], edit: Edit, { file }: SourcesPlace): Promise<string> {
  const next = [...settings];
  if ('insert' in edit) next.splice(edit.at, 0, edit.insert);
  else if ('replace' in edit) next.splice(edit.at, 1, edit.replace);
  else next.splice(edit.at, 1);
  const value = 'insert' in edit ? edit.insert : 'replace' in edit ? edit.replace : undefined;
  const isWhole = settings.length === 0 || next.length === 0;
  const result = isWhole
    ? await setValue('json', text, ['sources'], next.length === 0 ? undefined : next)
    : applyEdits(
        text,
        modify(text, ['sources', edit.at], value, {
          isArrayInsertion: 'insert' in edit,
          formattingOptions: { insertSpaces: true, tabSize: 2 },
        }),
      );
  const document: unknown = result === undefined ? undefined : parse(result, [], { allowTrailingComma: true });
  const found = isFields(document) ? (document['sources'] ?? []) : undefined;
  if (result === undefined || !isSameValue(found, next))
    throw new FetchError(`${file} cannot be edited.`, `Set "sources" in it to: ${JSON.stringify(next)}`);
  return result;
}

function nameOf(setting: unknown): unknown {
  return isFields(setting) ? setting['source'] : setting;
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function write(file: string, text: string, { file: shown }: SourcesPlace): void {
  const draft = `${file}.${process.pid}.draft`;
  try {
    makeFolders(dirname(file));
    const mode = statSync(file, { throwIfNoEntry: false })?.mode;
    rmSync(draft, { force: true });
    writeFileSync(draft, text, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o777 }) });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw new FetchError(`${shown} cannot be written (${systemCode(cause) ?? 'unknown error'}).`, 'Check the permissions of its folder.');
  }
}

/** Whether a file that was found in the working folder may run what it names. */
async function isTrusted(place: SourcesPlace, io: Io): Promise<boolean> {
  if (!isFound(place, io)) return false;
  const { untrusted } = await findConfig(undefined, io);
  return untrusted === undefined;
}

/** Whether the file is the one that is found in the working folder. */
function isFound({ file, location }: SourcesPlace, io: Io): boolean {
  return location !== 'global' && resolve(io.cwd, file) === resolve(io.cwd, 'footbridge.json');
}

/** Footbridge's own edit does not revoke trust. */
async function trustAgain({ file }: SourcesPlace, io: Io): Promise<void> {
  const { needsTrust } = await import('../trust/check.js');
  const { config, text } = await readConfig(file, io);
  if (needsTrust(config, text, io) !== undefined) await trustConfig(config, text, io);
}
