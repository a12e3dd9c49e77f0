/** Questions at a terminal. */
import { createInterface } from 'node:readline';
import type { Io } from './io.js';

export function canAsk({ stdin, stderr }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** What else a person may answer to a question, by its first letter; the question is asked again afterwards. */
export interface OtherAnswer {
  readonly letter: string;
  /** What it does, for the question. */
  readonly text: string;
  readonly act: () => Promise<void>;
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
    lines.once('close', () => resolve(undefined));
    lines.question(question, (answer) => {
      resolve(answer.trim());
      lines.close();
    });
  });
}
