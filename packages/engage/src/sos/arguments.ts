/** The command line of sos for a request. */
import { Failure } from '../failure.js';

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
