/** What `doctor` finds, and what it is made of. */
import { redact } from '../../redact.js';
import { redactGiven } from '../../secrets/given.js';
import { plain } from '../terminal.js';
import { DOCTOR_CODES, type DoctorCode } from './codes.js';

/** `error`: something does not work. `warning`: it works, but worse than it could. `info`: nothing is wrong. */
export type Severity = 'error' | 'warning' | 'info';

export interface Finding {
  readonly severity: Severity;
  readonly code: DoctorCode;
  /** The file, server, host or address that it is about. */
  readonly where: string;
  readonly message: string;
  /** What to do about it. */
  readonly action: string;
  /** What else is known, such as the last lines that a program wrote. */
  readonly details?: readonly string[];
}

/** One part of the report: what was looked at, and what is to be said of it. */
export interface Section<T> {
  readonly data: T;
  readonly findings: readonly Finding[];
}

/** A finding whose action is the usual one of its code, unless another is given. */
export function finding(
  severity: Severity,
  code: DoctorCode,
  where: string,
  message: string,
  more: { readonly action?: string; readonly details?: readonly string[] } = {},
): Finding {
  const { action = DOCTOR_CODES[code].cure, details = [] } = more;
  return { severity, code, where, message, action, ...(details.length === 0 ? {} : { details }) };
}

const LONGEST_LINE = 400;

/** What a program wrote, fit to be shown: without what it was given, and without what looks like a secret. */
export function shown(text: string, given: readonly string[]): string {
  return redact(redactGiven(plain(text.slice(0, 8 * LONGEST_LINE)), given)).slice(0, LONGEST_LINE);
}

/** How many of the last lines that a program wrote are shown. */
const LAST_LINES = 5;
/** Of a program that writes on and on, so many of its first lines and so many of its last are kept. */
const KEPT_LINES = 500;

/** What a program writes, line by line, each fit to be shown. */
export interface Remarks {
  take(line: string): void;
  readonly lines: readonly string[];
  /** The last of them that differ. */
  last(): readonly string[];
}

/** `given` is what the program was given that may be secret. */
export function createRemarks(given: readonly string[]): Remarks {
  const lines: string[] = [];
  return {
    take(line) {
      lines.push(shown(line, given));
      if (lines.length > 2 * KEPT_LINES) lines.splice(KEPT_LINES, 1);
    },
    lines,
    last: () => [...new Set(lines)].slice(-LAST_LINES),
  };
}

/** How a server failed, of whichever kind it is. */
export type Trouble = 'command' | 'ended' | 'silent' | 'unreachable' | 'unauthorized' | 'protocol';

const SIGNS: readonly (readonly [RegExp, Trouble])[] = [
  [/no such command|may not be run|cannot be started|command is not found/, 'command'],
  [/asks for authorization|HTTP 40[13]/, 'unauthorized'],
  [/did not start within|did not answer|did not tell/, 'silent'],
  [/ended with|was ended by|ended before/, 'ended'],
  [/refuses connections|cannot be found|cannot be looked up|cannot be reached|did not take|TLS connection|broke/, 'unreachable'],
];

/** What kind of trouble our own words for it speak of. */
export function troubleOf(reason: string): Trouble {
  return SIGNS.find(([sign]) => sign.test(reason))?.[1] ?? 'protocol';
}
