/** Markdown as tokens, within bounds: what would take the lexer long, or too deep, is shown as it is instead. */
import { Lexer, type Token } from 'marked';

/** Characters of a whole text, and of one paragraph: the time that a paragraph takes grows faster than its length. */
const LONGEST = 300_000;
const LONGEST_PARAGRAPH = 8192;
/** Each one is looked for among those before it. */
const MOST_TASKS = 2000;

/** Quotes and lists in one another, on one line or by indentation. */
const DEEP = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){24}|^[ \t]{80,}(?:>|[-+*]|\d{1,9}[.)])[ \t]/m;
const TASK = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[[ xX]\]/gm;

/** The tokens of a text; undefined when it has to be shown as it is. */
export function lex(text: string): readonly Token[] | undefined {
  if (text.length > LONGEST || DEEP.test(text)) return undefined;
  if ((text.match(TASK)?.length ?? 0) > MOST_TASKS) return undefined;
  try {
    const lexer = new Lexer({ gfm: true });
    lexer.blockTokens(text.replace(/\r\n|\r/g, '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      if (src.length <= LONGEST_PARAGRAPH) lexer.inlineTokens(src, tokens);
      else tokens.push({ type: 'text', raw: src, text: src });
    }
    return lexer.tokens;
  } catch {
    return undefined;
  }
}
