/** Plans the changes of `install` to one file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fields } from '../../json.js';
import { parseDocument, splitMark } from '../hosts/document.js';
import { isBareMap, mapPaths, valueAt } from '../hosts/entries.js';
import { type HostEntry, type HostFile, type HostPlace, whatIsMissing } from '../hosts/index.js';
import { hostLibrary, type LibraryServer } from '../hosts/library.js';
import { entriesOf } from '../hosts/read.js';
import type { StartWords } from '../this-program.js';
import { currentOf, type FileChange, type WrappedFields } from './change.js';
import { isSameValue, setValue } from './text/index.js';
import { wrapEntry } from './wrapping.js';

export const OUR_NAME = 'footbridge';
/** The entry of a team server, beside a local Footbridge. */
export const TEAM_NAME = 'footbridge-team';
export const ALREADY_INSTALLED = 'Already installed. Nothing to change.';

export interface InstallRequest {
  readonly folder: string;
  readonly start: StartWords;
  /** The name of our entry. */
  readonly name: string;
  readonly own: (place: HostPlace) => Promise<OwnEntry>;
  /** Which of the existing servers to wrap. */
  readonly isWrapped: (name: string) => boolean;
}

/** Our entry for one host. */
export interface OwnEntry {
  readonly server: LibraryServer;
  /** Fields of this host that the library does not know. */
  readonly fields?: Fields;
}

type Places = FileChange['places'];

/** Writes nothing. */
export async function planInstall(places: Places, real: string, request: InstallRequest): Promise<FileChange> {
  const [place] = places;
  const current = await currentOf(real);
  if (!current.ok) return refusedChange(places, real, current.reason);
  const file = await entriesOf(place, current.text);
  if (!file.ok) return refusedChange(places, real, unreadable(file));
  const added = await withOurs(place, current.text, file.entries, request);
  if (!added.ok) return refusedChange(places, real, added.reason);
  const { reasons, text, wrapped } = await withWrapped(place, added.text, file.entries, request);
  const isSame = text === current.text && current.bytes !== undefined;
  return {
    places,
    real,
    action: isSame ? (reasons.length > 0 ? 'refused' : 'none') : current.bytes === undefined ? 'create' : 'change',
    before: current.bytes,
    after: isSame ? current.bytes : Buffer.from(text),
    reasons,
    notes: isSame && reasons.length === 0 ? [ALREADY_INSTALLED] : [],
    wrapped,
  };
}

export function refusedChange(places: Places, real: string, reason: string): FileChange {
  return { places, real, action: 'refused', before: undefined, after: undefined, reasons: [reason], notes: [], wrapped: {} };
}

export function unreadable({ column, line, problem }: Extract<HostFile, { ok: false }>): string {
  return line === undefined
    ? `${problem} The file is left unchanged.`
    : `Line ${line}, column ${column ?? 1}: ${problem} The file is left unchanged.`;
}

type Text = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

const BY_HAND = 'It cannot be changed without changing other parts of the file. Edit it by hand.';

async function withOurs(place: HostPlace, text: string, entries: readonly HostEntry[], request: InstallRequest): Promise<Text> {
  const { folder, name } = request;
  const existing = entries.find((entry) => entry.name === name);
  const isOurs = existing === undefined || existing.isFootbridge || isTeamEntry(existing) || isDead(existing, folder);
  if (!isOurs) return { ok: false, reason: `Another server is named ${name} there. Rename it first.` };
  const { fields = {}, server } = await request.own(place);
  if (existing?.server.kind === 'command' && isSameValue([existing.server.command, ...existing.server.args], wordsOf(server)))
    return { ok: true, text };
  const made = await libraryEntry(place, text, folder, { name, server });
  if (!made.ok) return made;
  const value = { ...made.value, ...fields };
  if (existing !== undefined) {
    const wanted =
      existing.server.kind === 'command' && server.command !== undefined
        ? { ...existing.fields, ...commandOf(value) }
        : existing.server.kind === 'url' && server.url !== undefined
          ? { ...existing.fields, ...value }
          : value;
    const changed = await changeFields(place, text, existing, existing.fields, wanted);
    return changed === undefined ? { ok: false, reason: BY_HAND } : { ok: true, text: changed };
  }
  const document = await parseDocument(text, place.host.format);
  // This host does not read a bare map of servers with our entry; the library moves it.
  if (document.ok && made.path.length > 1 && isBareMap(document.value)) return { ok: true, text: made.text };
  const added = await setValue(place.host.format, text, made.path, value);
  return added === undefined ? { ok: false, reason: BY_HAND } : { ok: true, text: added };
}

function wordsOf({ args = [], command }: LibraryServer): readonly string[] {
  return command === undefined ? [] : [command, ...args];
}

/** An entry for a URL that `install --url` has made. */
export function isTeamEntry({ name, server }: HostEntry): boolean {
  return name === TEAM_NAME && server.kind === 'url';
}

/** The fields of an entry that start a server. */
export function commandOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => ['command', 'cmd', 'args'].includes(key)));
}

/** Whether an entry can start nothing, so that it may be replaced. */
export function isDead({ server }: HostEntry, folder: string): boolean {
  return server.kind === 'unknown' || whatIsMissing(server, folder)?.kind === 'path';
}

async function withWrapped(place: HostPlace, before: string, entries: readonly HostEntry[], { isWrapped, start }: InstallRequest) {
  const wrapped: Record<string, WrappedFields> = {};
  const reasons: string[] = [];
  let text = before;
  const chosen = entries.filter(({ isFootbridge, name }) => !isFootbridge && isWrapped(name));
  const wrappings = await Promise.all(chosen.map((entry) => wrapEntry(place, entry, start)));
  for (const [at, entry] of chosen.entries()) {
    const wrapping = wrappings[at];
    if (wrapping === undefined) continue;
    const changed = wrapping.ok ? await changeFields(place, text, entry, entry.fields, wrapping.fields) : undefined;
    if (wrapping.ok && changed !== undefined) {
      text = changed;
      wrapped[entry.name] = changedOnly(entry.fields, wrapping.fields);
    } else reasons.push(`${entry.name} is not wrapped. ${wrapping.ok ? BY_HAND : wrapping.reason}`);
  }
  return { text, wrapped, reasons };
}

/** Unchanged fields are not recorded: TOML has values that JSON cannot represent. */
function changedOnly(before: Fields, after: Fields): WrappedFields {
  const differs = ([key]: [string, unknown]) => !isSameValue(before[key], after[key]);
  const some = (fields: Fields) => Object.fromEntries(Object.entries(fields).filter(differs));
  return { before: some(before), after: some(after) };
}

type LibraryEntry =
  | {
      readonly ok: true;
      readonly path: readonly string[];
      readonly value: Readonly<Record<string, unknown>>;
      /** The complete draft, which may have lost comments. */
      readonly text: string;
    }
  | { readonly ok: false; readonly reason: string };

/** `text` must be valid. */
async function libraryEntry(
  place: HostPlace,
  text: string,
  folder: string,
  { name, server }: { readonly name: string; readonly server: LibraryServer },
): Promise<LibraryEntry> {
  const { body, mark } = splitMark(text);
  const onFile = await draftOf(place, await inShortLines(place, body), folder, { name, server });
  // The library does not support all of TOML and YAML. The entry does not depend on the rest of the file there.
  const draft = onFile.ok || place.host.format === 'json' ? onFile : await draftOf(place, '', folder, { name, server });
  if (!draft.ok) return draft;
  const document = await parseDocument(draft.text, place.host.format);
  const agent = (await hostLibrary()).agents[place.host.id];
  const isProject = place.scope === 'project';
  const paths = document.ok ? mapPaths(place.host.id, agent?.configKey ?? '', document.value, isProject) : [];
  for (const path of paths) {
    const value = document.ok ? valueAt(document.value, [...path, name]) : undefined;
    if (typeof value === 'object' && value !== null)
      return { ok: true, path: [...path, name], value: { ...value }, text: mark + draft.text };
  }
  return { ok: false, reason: 'It has no known place for a server.' };
}

/** The library lays out the line that it changes edit by edit, and copies the whole text for each: a long line would take minutes. */
async function inShortLines({ host }: HostPlace, body: string): Promise<string> {
  if (host.format !== 'json' || !body.split('\n').some(({ length }) => length > LONG_LINE)) return body;
  const document = await parseDocument(body, host.format);
  return document.ok ? JSON.stringify(document.value, undefined, 2) : body;
}

const LONG_LINE = 4000;

/** Points the library at a draft while it writes, which is synchronous. */
async function draftOf(
  { host, scope }: HostPlace,
  body: string,
  cwd: string,
  { name, server }: { readonly name: string; readonly server: LibraryServer },
): Promise<Text> {
  const { agents, upsertServer } = await hostLibrary();
  const agent = agents[host.id];
  if (agent === undefined) return { ok: false, reason: 'Unknown host.' };
  const draftFolder = mkdtempSync(join(tmpdir(), 'footbridge-install-'));
  const draft = join(draftFolder, 'draft');
  const usual = agent.resolveConfigPath;
  try {
    writeFileSync(draft, body, { mode: 0o600 });
    agent.resolveConfigPath = () => draft;
    const { error, success } = upsertServer(host.id, name, server, { local: scope === 'project', cwd });
    return success
      ? { ok: true, text: readFileSync(draft, 'utf8') }
      : { ok: false, reason: error?.replaceAll(draft, 'The file') ?? 'It cannot be changed.' };
  } finally {
    if (usual === undefined) delete agent.resolveConfigPath;
    else agent.resolveConfigPath = usual;
    rmSync(draftFolder, { recursive: true, force: true });
  }
}

/** Undefined if there is no such entry. */
async function entryPath({ host, scope }: HostPlace, text: string, name: string): Promise<readonly string[] | undefined> {
  const document = await parseDocument(text, host.format);
  const agent = (await hostLibrary()).agents[host.id];
  if (!document.ok || agent === undefined) return undefined;
  return mapPaths(host.id, agent.configKey, document.value, scope === 'project')
    .map((path) => [...path, name])
    .find((path) => valueAt(document.value, path) !== undefined);
}

/** Replaces the fields of `before` by those of `after`, and keeps others. */
export async function changeFields(
  place: HostPlace,
  text: string,
  { name }: Pick<HostEntry, 'name'>,
  before: Fields,
  after: Fields,
): Promise<string | undefined> {
  const path = await entryPath(place, text, name);
  if (path === undefined) return undefined;
  let changed: string | undefined = text;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (changed === undefined || isSameValue(before[key], after[key])) continue;
    changed = await setValue(place.host.format, changed, [...path, key], after[key]);
  }
  return changed;
}

/** Also removes the map of servers if it is then empty and did not exist `earlier`. */
export async function removeEntry(place: HostPlace, text: string, name: string, earlier: string | undefined): Promise<string | undefined> {
  const { format } = place.host;
  const path = await entryPath(place, text, name);
  if (path === undefined) return text;
  let left = await setValue(format, text, path, undefined);
  const first = earlier === undefined ? undefined : await parseDocument(earlier, format);
  for (let map = path.slice(0, -1); map.length > 0 && left !== undefined && first?.ok === true; map = map.slice(0, -1)) {
    const now = await parseDocument(left, format);
    const held = now.ok ? valueAt(now.value, map) : undefined;
    const isEmpty = typeof held === 'object' && held !== null && Object.keys(held).length === 0;
    if (!isEmpty || valueAt(first.value, map) !== undefined) break;
    left = await setValue(format, left, map, undefined);
  }
  return left;
}
