/** Parses the output of sos. Its text is never passed on, since it may contain anything. */
import { StringDecoder } from 'node:string_decoder';

export interface SosProgress {
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

export interface SosFindings {
  /** As printed, not validated. */
  archivePath?: string;
  needsRoot?: boolean;
  /** As printed, not validated. */
  unknownPlugin?: string;
  noPluginEnabled?: boolean;
}

/** Longer lines are dropped to bound memory. */
const MAX_LINE = 8192;

const STARTING = /^\s*Starting\s+(\d{1,6})\/(\d{1,6})\s+([A-Za-z0-9_-]{1,64})\s/;
const FINISHING = /^\s*(?:Finishing|Finished running) plugins\b/;
const MASKING = /Beginning obfuscation/;
const PACKING = /^\s*Creating compressed archive/;
const SAVED = /^\s*Your sos ?report has been generated and saved in:\s*$/i;
// Messages of sos and of sudo.
const NEEDS_ROOT =
  /must be run with root privileges|^sudo: .*(?:password is required|terminal is required|must have a tty)|is not allowed to (?:execute|run)|not in the sudoers/;
const UNKNOWN_PLUGIN = /\ba non-existing plugin \(([^)]{0,200})\)/;
const NO_PLUGIN = /no valid plugins were enabled/;

export function readSosOutput(onProgress: (progress: SosProgress) => void) {
  const decoder = new StringDecoder('utf8');
  const findings: SosFindings = {};
  let pending = '';
  let dropping = false;
  let pathFollows = false;
  let done = 0;
  let total = 0;

  const show = (message: string) => onProgress({ done, total, message });

  function line(text: string): void {
    if (pathFollows && text.trim() !== '') {
      findings.archivePath = text.trim();
      pathFollows = false;
      return;
    }
    if (SAVED.test(text)) pathFollows = true;
    if (NEEDS_ROOT.test(text)) findings.needsRoot = true;
    if (NO_PLUGIN.test(text)) findings.noPluginEnabled = true;
    const unknown = UNKNOWN_PLUGIN.exec(text)?.[1];
    if (unknown !== undefined) findings.unknownPlugin = unknown;
    progress(text);
  }

  function progress(text: string): void {
    const [, count, of, plugin] = STARTING.exec(`${text} `) ?? [];
    if (plugin !== undefined) {
      total = Number(of);
      // Plugins run in parallel and may be reported out of order.
      done = Math.min(total, Math.max(done, Number(count) - 1));
      show(`Collecting ${plugin}`);
    } else if (FINISHING.test(text)) {
      done = Math.max(done, total - 1);
      show('Finishing the last plugins');
    } else if (MASKING.test(text)) {
      done = total;
      show('Masking names and addresses');
    } else if (PACKING.test(text)) {
      done = total;
      show('Packing the archive');
    }
  }

  function take(text: string): void {
    const parts = (pending + text).split(/[\r\n]/);
    pending = parts.pop() ?? '';
    for (const part of parts) {
      if (!dropping) line(part);
      dropping = false;
    }
    if (pending.length > MAX_LINE) dropping = true;
    if (dropping) pending = '';
  }

  return {
    findings,
    push: (chunk: Uint8Array) => take(decoder.write(Buffer.from(chunk))),
    /** Handles a last line without a line break. */
    end: () => take(`${decoder.end()}\n`),
  };
}
