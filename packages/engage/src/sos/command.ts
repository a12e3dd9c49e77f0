/** Finds sos, and checks that it may run and will not upload anything by itself. */
import { readFile } from 'node:fs/promises';
import { Failure } from '../failure.js';
import { isMissing } from './archive.js';
import { isRoot, locate, runAsRoot } from './processes.js';

/** A program and the arguments that precede those of sos. */
export interface SosCommand {
  readonly program: string;
  readonly before: readonly string[];
}

/**
 * Tries sudo with the help of sos: `sudo -l` succeeds even where a password is needed, as soon as any other command needs
 * none.
 */
export async function findSos(): Promise<SosCommand> {
  const sos = await locate('sos');
  if (sos === undefined) {
    const action = 'Ask the person to install it: `dnf install sos`, or `apt install sosreport` on Debian and Ubuntu.';
    throw new Failure('dependency_missing', 'sos is not installed on this machine.', action);
  }
  await assertNoUpload();
  if (isRoot()) return { program: sos, before: [] };
  const sudo = await locate('sudo');
  if (sudo === undefined || !(await runAsRoot('sos', ['report', '--batch', '--help']))) throw privilegeRequired();
  return { program: sudo, before: ['-n', '--', sos] };
}

export function privilegeRequired(): Failure {
  const action = 'Ask the person to allow `sudo -n sos report` for the user of this server, or to run the server as root.';
  return new Failure('privilege_required', 'sos requires root, and this server cannot become root without a password.', action);
}

const CONFIGURATION = '/etc/sos/sos.conf';
/** Later sections take precedence. */
const SECTIONS = ['global', 'report'];
/** Python's configparser applies this section to all others. */
const INHERITED = 'DEFAULT';
const OFF = /^(?:|0|false|no|off)$/i;
/** Either enables uploads by itself. */
const TARGETS = ['upload-url', 'upload-s3-endpoint'];

type Section = Map<string, string>;

/** Throws if the configuration of sos enables uploads, or cannot be read. */
export async function assertNoUpload(file = CONFIGURATION): Promise<void> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return '';
    const action = 'Ask the administrator to make sos.conf readable for the user of this server.';
    throw new Failure('unexpected_error', 'sos.conf cannot be read, so uploads by sos cannot be ruled out.', action, {}, cause);
  });
  const sections = parseIni(text);
  const inherited = [...(sections.get(INHERITED) ?? [])];
  const settings = new Map(SECTIONS.flatMap((name) => sections.get(name) ?? []).flatMap((section) => [...inherited, ...section]));
  if (!OFF.test(settings.get('upload') ?? '') || TARGETS.some((key) => (settings.get(key) ?? '') !== '')) {
    const action = 'Ask the administrator to remove `upload` and `upload-url` from the configuration of sos.';
    throw new Failure('unexpected_error', 'sos is configured to upload archives, and this step must not send data anywhere.', action);
  }
}

/** Like Python's configparser: a line indented more than its setting continues the value. */
function parseIni(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Section>();
  let section: Section = new Map();
  let last: { readonly key: string; readonly indent: number } | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*(?:[#;]|$)/.test(line)) continue;
    const indent = line.search(/\S/);
    if (last !== undefined && indent > last.indent) {
      section.set(last.key, `${section.get(last.key)}${line.trim()}`);
      continue;
    }
    const [, name] = /^\s*\[(.+)\]/.exec(line) ?? [];
    const mark = line.search(/[=:]/);
    last = undefined;
    if (name !== undefined) {
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
    } else if (mark !== -1) {
      last = { key: line.slice(0, mark).trim().toLowerCase().replaceAll('_', '-'), indent };
      section.set(last.key, line.slice(mark + 1).trim());
    }
  }
  return sections;
}

export interface SosRequest {
  readonly onlyPlugins?: readonly string[] | undefined;
  readonly enablePlugins?: readonly string[] | undefined;
  readonly disablePlugins?: readonly string[] | undefined;
  /** A number with an optional unit k, m or g. Default unit: MiB, as for sos. */
  readonly logSize?: string | undefined;
  /** Mask host names, addresses and users. */
  readonly redaction?: boolean | undefined;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAMES = 100;
const LOG_SIZE = /^(\d{1,9})([kmg]?)$/i;
const MIB_PER_UNIT: Readonly<Record<string, number>> = { k: 1 / 1024, m: 1, '': 1, g: 1024 };

export function sosArguments(request: SosRequest, tmpDir: string): readonly string[] {
  const { onlyPlugins = [], enablePlugins = [], disablePlugins = [], logSize, redaction = false } = request;
  if (onlyPlugins.length > 0 && enablePlugins.length + disablePlugins.length > 0) {
    throw invalid('only_plugins cannot be combined with enable_plugins or disable_plugins.', 'Pass only_plugins or the others.');
  }
  return [
    'report',
    '--batch',
    '--tmp-dir',
    tmpDir,
    ...plugins('only_plugins', '--only-plugins', onlyPlugins),
    ...plugins('enable_plugins', '--enable-plugins', enablePlugins),
    ...plugins('disable_plugins', '--skip-plugins', disablePlugins),
    ...(logSize === undefined ? [] : [`--log-size=${mebibytes(logSize)}`]),
    // --no-update leaves the machine's own map of masked names unchanged.
    ...(redaction ? ['--clean', '--no-update'] : []),
  ];
}

/** In the form `--option=names`, so that a name that starts with a dash is not parsed as an option. */
function plugins(parameter: string, option: string, names: readonly string[]): readonly string[] {
  if (names.length > MAX_NAMES) throw invalid(`${parameter} has more than ${MAX_NAMES} names.`, 'Name fewer plugins.');
  if (!names.every((name) => NAME.test(name))) {
    throw invalid(`${parameter} contains an invalid plugin name.`, 'Use letters, digits, "_" and "-" only, such as "networking".');
  }
  return names.length === 0 ? [] : [`${option}=${names.join(',')}`];
}

/** sos accepts whole MiB only, and treats 0 as unlimited. */
function mebibytes(logSize: string): number {
  const [, digits, unit] = LOG_SIZE.exec(logSize) ?? [];
  const size = Math.ceil(Number(digits) * (MIB_PER_UNIT[unit?.toLowerCase() ?? ''] ?? Number.NaN));
  if (size >= 1) return size;
  throw invalid('log_size is invalid.', 'Pass a number above 0, optionally followed by k, m or g, such as "50m".');
}

function invalid(message: string, action: string): Failure {
  return new Failure('validation_error', message, action);
}
