/** A question to a person. */
import { createInterface } from 'node:readline';

/** Whether somebody is there who sees the question and can answer it. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Only `y` and `yes` mean yes; so does no answer at all mean no. */
export function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(false));
    lines.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}
