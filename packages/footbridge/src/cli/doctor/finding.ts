/** The findings of `doctor`. */
import { redact } from '../../redact.js';
import { redactGiven } from '../../secrets/given.js';
import type { FailureKind } from '../../sources/upstream/failure.js';
import { plain } from '../terminal.js';
import { DOCTOR_CODES, type DoctorCode } from './codes.js';

/** `error`: something does not work. `warning`: it works, but not as well as it could. `info`: nothing is wrong. */
export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  readonly severity: Severity;
  readonly code: DoctorCode;
  readonly where: string;
  readonly message: string;
  readonly action: string;
  readonly kind?: FailureKind;
  /** Such as the last lines of stderr. */
  readonly details?: readonly string[];
}

export interface Section<T> {
  readonly data: T;
  readonly findings: readonly Finding[];
}

/** `action` defaults to the usual fix of the code. */
export function finding(
  severity: Severity,
  code: DoctorCode,
  where: string,
  message: string,
  { action = DOCTOR_CODES[code]?.fix ?? '', details = [], kind }: Partial<Pick<Finding, 'action' | 'details' | 'kind'>> = {},
): Finding {
  return { severity, code, where, message, action, kind, ...(details.length === 0 ? {} : { details }) };
}

const LONGEST_LINE = 400;

/** Output of a program without its secrets. */
export function shown(text: string, given: readonly string[]): string {
  return redact(redactGiven(plain(text.slice(0, 8 * LONGEST_LINE)), given)).slice(0, LONGEST_LINE);
}

const LAST_LINES = 5;
/** This many of the first and of the last lines are kept. */
const KEPT_LINES = 500;

/** `given` are the secrets to redact. */
export function collectStderr(given: readonly string[]) {
  const lines: string[] = [];
  return {
    take(line: string) {
      lines.push(shown(line, given));
      if (lines.length > 2 * KEPT_LINES) lines.splice(KEPT_LINES, 1);
    },
    last: () => [...new Set(lines)].slice(-LAST_LINES),
  };
}

type FailureCode = 'command' | 'ended' | 'silent' | 'unreachable' | 'unauthorized' | 'protocol' | 'untrusted';

const FAILURE_CODES: Readonly<Record<FailureKind, FailureCode | { readonly command: FailureCode; readonly url: FailureCode }>> = {
  untrusted: 'untrusted',
  invalid: 'protocol',
  'not-found': { command: 'command', url: 'protocol' },
  spawn: 'command',
  exited: 'ended',
  timeout: 'silent',
  refused: 'unreachable',
  dns: 'unreachable',
  tls: 'unreachable',
  unreachable: 'unreachable',
  disconnected: { command: 'ended', url: 'unreachable' },
  auth: 'unauthorized',
  busy: 'protocol',
  'server-error': 'protocol',
  protocol: 'protocol',
};

export function failureCode(about: 'server' | 'host', kind: FailureKind, transport: 'command' | 'url'): DoctorCode {
  const code = FAILURE_CODES[kind];
  return `${about}-${typeof code === 'string' ? code : code[transport]}`;
}
