/** Plans the changes of `uninstall` to one file. */
import { dirname } from 'node:path';
import { digestOf } from '../../sources/skills/digest.js';
import { decodeText } from '../../text.js';
import { type HostEntry, type HostPlace, shortName } from '../hosts/index.js';
import { entriesOf, type HostFile } from '../hosts/read.js';
import type { Io } from '../io.js';
import { currentOf, type FileChange } from './change.js';
import {
  changeFields,
  commandOf,
  isDead,
  isTeamEntry,
  OUR_NAME,
  refusedChange,
  removeEntry,
  TEAM_NAME,
  unreadable,
} from './plan-install.js';
import { bytesBefore, type InstallRecord, readRecord, recordFile } from './record.js';
import { unwrapEntry } from './wrapping.js';

type Places = FileChange['places'];

const NOTHING = 'It contains nothing from Footbridge.';
const CHANGED_SINCE = 'It has changed since the installation, so only the entries of Footbridge are removed.';

/** Reads the file and its record, and writes nothing. */
export async function planUninstall(places: Places, real: string, io: Io): Promise<FileChange> {
  const record = await readRecord(real, io);
  const current = await currentOf(real);
  const backup = record === undefined ? '' : ` A backup is in ${shortName(recordFile(real, io))}.`;
  if (!current.ok) return refusedChange(places, real, `${current.reason}${backup}`);
  const { bytes, text } = current;
  const unchanged: FileChange = { places, real, action: 'none', before: bytes, after: bytes, reasons: [], notes: [], wrapped: {} };
  if (bytes === undefined) return { ...unchanged, notes: [`The file no longer exists.${record?.existed === true ? backup : ''}`] };
  if (record !== undefined && digestOf(bytes) === record.after) {
    if (!record.existed) return { ...unchanged, action: 'remove', after: undefined };
    return { ...unchanged, action: 'change', after: bytesBefore(record) };
  }
  const taken = await takeBack(places[0], text, record);
  if (!taken.ok) return refusedChange(places, real, `${taken.reason}${backup}`);
  const isSame = taken.text === text;
  const notes = isSame && taken.reasons.length === 0 ? [NOTHING] : record === undefined || isSame ? [] : [CHANGED_SINCE];
  return {
    ...unchanged,
    action: isSame ? (taken.reasons.length > 0 ? 'refused' : 'none') : 'change',
    after: isSame ? bytes : Buffer.from(taken.text),
    reasons: taken.reasons,
    notes,
  };
}

type Taken =
  | { readonly ok: true; readonly text: string; readonly reasons: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Removes our entry and unwraps the others. */
export async function takeBack(place: HostPlace, before: string, record: InstallRecord | undefined): Promise<Taken> {
  const file = await entriesOf(place, before);
  if (!file.ok) return { ok: false, reason: unreadable(file) };
  const earlierText = record === undefined ? undefined : (decodeText(bytesBefore(record)) ?? '');
  const earlier = earlierText === undefined ? undefined : await entriesOf(place, earlierText);
  const reasons: string[] = [];
  let text = before;
  // Our own entry is last, so that an empty map of servers is detected.
  // A damaged entry of Footbridge still belongs to it.
  const isOurs = (entry: HostEntry) =>
    entry.isFootbridge || isTeamEntry(entry) || (record !== undefined && entry.name === OUR_NAME && isDead(entry, dirname(place.file)));
  const ours = file.entries.filter(isOurs);
  for (const entry of [...ours.filter(({ name }) => name !== OUR_NAME), ...ours.filter(({ name }) => name === OUR_NAME)]) {
    const next = await withoutOurs(place, text, entry, record, earlier, earlierText);
    if (next === undefined) reasons.push(`${entry.name} is left unchanged: its original form is unknown.`);
    else text = next;
  }
  return { ok: true, text, reasons };
}

async function withoutOurs(
  place: HostPlace,
  text: string,
  entry: HostEntry,
  record: InstallRecord | undefined,
  earlier: HostFile | undefined,
  earlierText: string | undefined,
): Promise<string | undefined> {
  const kept = record !== undefined && Object.hasOwn(record.wrapped, entry.name) ? record.wrapped[entry.name] : undefined;
  if (kept !== undefined) return changeFields(place, text, entry, kept.after, kept.before);
  // The user had an entry of their own before.
  const own = earlier?.ok === true ? earlier.entries.find(({ isFootbridge, name }) => isFootbridge && name === entry.name) : undefined;
  if (own !== undefined) return changeFields(place, text, entry, entry.fields, { ...entry.fields, ...commandOf(own.fields) });
  if (entry.name === OUR_NAME || entry.name === TEAM_NAME) return removeEntry(place, text, entry.name, earlierText);
  const fields = await unwrapEntry(place, entry);
  return fields === undefined ? undefined : changeFields(place, text, entry, entry.fields, fields);
}
