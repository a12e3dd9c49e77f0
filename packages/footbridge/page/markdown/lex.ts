/** Markdown tokens, with limits: text that would take the lexer too long or nests too deeply is shown as source. */
import { Lexer, type Token } from 'marked';

/** Characters of a text and of a paragraph, whose lexing time grows faster than its length. */
const LONGEST = 300_000;
const LONGEST_PARAGRAPH = 8192;
/** Lexing is quadratic in their number. */
const MAX_TASKS = 2000;

/** Nested quotes and lists, on one line or by indentation. */
const DEEP = /^(?:[ \t]*(?:>|[-+*]|\d{1,9}[.)])){24}|^[ \t]{80,}(?:>|[-+*]|\d{1,9}[.)])[ \t]/m;
const TASK = /^[ \t>]*(?:[-+*]|\d{1,9}[.)])[ \t]+\[[ xX]\]/gm;

/** Undefined for a text over the limits. */
export function lex(text: string): readonly Token[] | undefined {
  if (text.length > LONGEST || DEEP.test(text)) return undefined;
  if ((text.match(TASK)?.length ?? 0) > MAX_TASKS) return undefined;
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
