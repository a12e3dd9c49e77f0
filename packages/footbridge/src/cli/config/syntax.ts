/** Messages for the errors of jsonc-parser. */
import { type ParseError, printParseErrorCode } from 'jsonc-parser';

const MESSAGES: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'Expected a key in double quotes.',
  ValueExpected: 'Expected a value.',
  ColonExpected: 'Expected a colon.',
  CommaExpected: 'Expected a comma before this.',
  CloseBraceExpected: 'Expected a closing }.',
  CloseBracketExpected: 'Expected a closing ].',
  InvalidSymbol: 'Unquoted text is not JSON.',
  EndOfFileExpected: 'Unexpected content after the end of the configuration.',
  UnexpectedEndOfComment: 'Unclosed comment.',
  UnexpectedEndOfString: 'Unclosed string.',
};

export function syntaxMessage({ error }: Pick<ParseError, 'error'>): string {
  return MESSAGES[printParseErrorCode(error)] ?? 'Invalid JSON.';
}
