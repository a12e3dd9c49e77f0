/** What a caller may ask of sos, as its command line. */
import { Failure } from '../failure.js';

export interface SosRequest {
  readonly onlyPlugins?: readonly string[] | undefined;
  readonly enablePlugins?: readonly string[] | undefined;
  readonly disablePlugins?: readonly string[] | undefined;
  /** A number, with k, m or g behind it; without one it is in MiB, as it is for sos. */
  readonly logSize?: string | undefined;
  /** Mask names and addresses. */
  readonly redaction?: boolean | undefined;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_NAMES = 100;
const LOG_SIZE = /^(\d{1,9})([kmg]?)$/i;
const MIB_PER_UNIT: Readonly<Record<string, number>> = { k: 1 / 1024, m: 1, '': 1, g: 1024 };

export function sosArguments(request: SosRequest, tmpDir: string): readonly string[] {
  const { onlyPlugins = [], enablePlugins = [], disablePlugins = [], logSize, redaction = false } = request;
  if (onlyPlugins.length > 0 && enablePlugins.length + disablePlugins.length > 0) {
    throw invalid('only_plugins excludes enable_plugins and disable_plugins.', 'Leave out the one or the others.');
  }
  return [
    'report',
    '--batch',
    '--tmp-dir',
    tmpDir,
    ...names('only_plugins', '--only-plugins', onlyPlugins),
    ...names('enable_plugins', '--enable-plugins', enablePlugins),
    ...names('disable_plugins', '--skip-plugins', disablePlugins),
    ...(logSize === undefined ? [] : [`--log-size=${mebibytes(logSize)}`]),
    // The machine's own map of masked names stays as it is.
    ...(redaction ? ['--clean', '--no-update'] : []),
  ];
}

/** The sign keeps a name that begins with a dash from being taken for an option. */
function names(parameter: string, option: string, given: readonly string[]): readonly string[] {
  if (given.length > MAX_NAMES) throw invalid(`${parameter} has more than ${MAX_NAMES} names.`, 'Name fewer plugins.');
  if (!given.every((name) => NAME.test(name))) {
    throw invalid(`${parameter} has a name that no plugin can have.`, 'Use letters, digits, "_" and "-" only, such as "networking".');
  }
  return given.length === 0 ? [] : [`${option}=${given.join(',')}`];
}

/** sos knows whole MiB only, and takes 0 for no limit at all, which nobody means who asks for a size of 0. */
function mebibytes(logSize: string): number {
  const [, digits, unit] = LOG_SIZE.exec(logSize) ?? [];
  const size = Math.ceil(Number(digits) * (MIB_PER_UNIT[unit?.toLowerCase() ?? ''] ?? Number.NaN));
  if (size >= 1) return size;
  throw invalid('log_size is not a size.', 'Use a number above 0 with k, m or g behind it, such as "50m".');
}

function invalid(message: string, action: string): Failure {
  return new Failure('validation_error', message, action);
}
