/** Findings in the lines of one file: of very many, the first say enough. */
import type { Notice } from '../../sources/source.js';
import { Turns } from '../../turns.js';
import { grouped } from '../terminal.js';

/** A finding; the file is known. */
export type FileFinding = Omit<Notice, 'file'>;

/** Of one file. */
const MOST = 100;

export class FileFindings {
  readonly #kept = new Map<string, FileFinding[]>();
  #total = 0;

  add(finding: FileFinding): void {
    this.#total++;
    const kind = `${finding.severity} ${finding.rule}`;
    const alike = this.#kept.get(kind) ?? [];
    this.#kept.set(kind, alike);
    if (alike.length < MOST) alike.push(finding);
  }

  /** In the file with this name: errors and secrets before others, if there are too many, and how many more there are. */
  in(file: string): readonly Notice[] {
    const all = [...this.#kept.values()].flat();
    const kept = all.length <= MOST ? all : all.sort((one, other) => rankOf(one) - rankOf(other)).slice(0, MOST);
    const notices = kept.map((finding): Notice => ({ ...finding, file }));
    const more = this.#total - kept.length;
    if (more > 0)
      notices.push({
        severity: 'warning',
        rule: 'more-findings',
        file,
        line: kept.reduce((last, { line = 1 }) => Math.max(last, line), 1),
        message: `${more === 1 ? 'One more finding' : `${grouped(more)} more findings`} in this file ${more === 1 ? 'is' : 'are'} not shown.`,
        action: 'Fix those that are shown first.',
      });
    return notices;
  }
}

function rankOf({ rule, severity }: FileFinding): number {
  return severity === 'error' ? 0 : rule === 'secret-text' ? 1 : 2;
}

/** Longer lines are data. */
const LONGEST_LINE = 2000;

/** Looks at each line that people may have written, by its number, while other work goes on. */
export async function eachLine(text: string, look: (line: string, number: number) => void, longest = LONGEST_LINE): Promise<void> {
  const turns = new Turns();
  let number = 0;
  for (let start = 0; start <= text.length; ) {
    const end = text.indexOf('\n', start);
    const stop = end === -1 ? text.length : end;
    number++;
    if (stop - start <= longest + 1) look(text.slice(start, text[stop - 1] === '\r' && stop > start ? stop - 1 : stop), number);
    start = stop + 1;
    if (turns.isOver) await turns.next();
  }
}
