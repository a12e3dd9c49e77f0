/** Whether sos would send what it collects somewhere by itself: nothing leaves the machine with this step. */
import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.js';
import { isMissing } from './archive.js';

const CONFIGURATION = '/etc/sos/sos.conf';
/** The sections that count for a report, the later one more. */
const SECTIONS = ['global', 'report'];
/** What every section has that does not say otherwise. */
const INHERITED = 'DEFAULT';
const OFF = /^(?:|0|false|no|off)$/i;
/** Where to send it; sos needs no other word. */
const ADDRESSES = ['upload-url', 'upload-s3-endpoint'];

type Settings = Map<string, string>;

/** Throws a failure where the machine's configuration of sos has it upload its archives, or cannot be read. */
export async function refuseUploads(file = CONFIGURATION): Promise<void> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return '';
    throw unreadable(cause);
  });
  const sections = parse(text);
  const inherited = [...(sections.get(INHERITED) ?? [])];
  const settings = new Map(SECTIONS.flatMap((name) => sections.get(name) ?? []).flatMap((section) => [...inherited, ...section]));
  if (!OFF.test(settings.get('upload') ?? '') || ADDRESSES.some((key) => (settings.get(key) ?? '') !== '')) throw uploads();
}

/** As Python reads such a file: what is indented more than a setting goes on with its value. */
function parse(text: string): ReadonlyMap<string, Settings> {
  const sections = new Map<string, Settings>();
  let section: Settings = new Map();
  let last: { readonly key: string; readonly indent: number } | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    const indent = line.search(/\S/);
    if (last !== undefined && indent > last.indent) {
      section.set(last.key, `${section.get(last.key)}${line.trim()}`);
      continue;
    }
    const [, name] = /^\s*\[(.+)\]/.exec(line) ?? [];
    const [, key, value = ''] = /^\s*(.*?)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    last = undefined;
    if (name !== undefined) {
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
    } else if (key !== undefined) {
      last = { key: key.toLowerCase().replaceAll('_', '-'), indent };
      section.set(last.key, value);
    }
  }
  return sections;
}

function uploads(): Failure {
  return new Failure(
    'unexpected_error',
    'sos is configured on this machine to upload what it collects, and in this step nothing may leave the machine.',
    'Ask whoever runs the machine to take `upload` and `upload-url` out of the configuration of sos.',
  );
}

function unreadable(cause: unknown): Failure {
  return new Failure(
    'unexpected_error',
    'The configuration of sos cannot be read by this server, so it cannot be checked that sos uploads nothing by itself.',
    'Ask whoever runs the machine to make the file sos.conf readable for the user of this server.',
    {},
    cause,
  );
}
