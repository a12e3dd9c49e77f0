/** Questions at a terminal. */
import { createInterface } from 'node:readline';
import { CommandError, failureFields, printFailure } from './failure.js';
import type { Io } from './io.js';

export function canAsk({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Further answers to a question, by their first letter. The question is asked again afterwards. */
export interface OtherAnswer {
  readonly letter: string;
  /** What it does, for the question. */
  readonly text: string;
  readonly act: () => Promise<void>;
}

/** What a person answered. */
export interface Consent {
  readonly given: boolean;
  /** Why there was no question. */
  readonly refusal?: CommandError;
}

interface Question {
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

const NEEDS_YES = 'Nothing was written. Review the changes, then run the command again with --yes.';

/** Asks before something is written. `unasked` is the error without a terminal; its first sentence states that nothing was done. */
export async function consent(
  question: string,
  { json, yes }: Question,
  io: Io,
  { other, unasked = NEEDS_YES }: { readonly other?: OtherAnswer | undefined; readonly unasked?: string } = {},
): Promise<Consent> {
  if (yes === true) return { given: true };
  if (json === true || !canAsk(io)) return refusal(unasked, json, io);
  const given = await ask(question, io, other);
  if (!given) io.printError(unasked.slice(0, unasked.indexOf('.') + 1));
  return { given };
}

/** Prints the error unless it becomes a part of JSON. */
export function refusal(message: string, json: boolean | undefined, io: Io): Consent {
  const refused = new CommandError('failed', message);
  if (json !== true) printFailure(refused, false, io);
  return { given: false, refusal: refused };
}

/** For JSON output. */
export function refusalFields(consent: Consent | undefined) {
  return consent?.refusal === undefined ? {} : failureFields(consent.refusal);
}

/** Only `y` and `yes` mean yes. */
export async function ask(question: string, io: Io, other?: OtherAnswer): Promise<boolean> {
  const hint = other === undefined ? '' : `, ${other.letter}: ${other.text}`;
  for (;;) {
    const answer = await answerTo(`${question} [y/N${hint}] `, io);
    if (other === undefined || answer?.toLowerCase() !== other.letter) return /^y(?:es)?$/i.test(answer ?? '');
    await other.act();
  }
}

/** Undefined if the input ends. */
function answerTo(question: string, { stdin, stderr }: Io): Promise<string | undefined> {
  const lines = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    let answered = false;
    lines.once('close', () => {
      // The next output starts on a new line.
      if (!answered) stderr.write('\n');
      resolve(undefined);
    });
    lines.question(question, (answer) => {
      answered = true;
      resolve(answer.trim());
      lines.close();
    });
  });
}
