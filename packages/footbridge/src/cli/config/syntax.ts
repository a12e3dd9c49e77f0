/** Messages for the errors of jsonc-parser. */
import { type ParseError, printParseErrorCode } from 'jsonc-parser';

const MESSAGES: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'A key in double quotes is expected here.',
  ValueExpected: 'A value is expected here.',
  ColonExpected: 'A colon is expected here.',
  CommaExpected: 'A comma is expected before this.',
  CloseBraceExpected: 'A closing } is expected here.',
  CloseBracketExpected: 'A closing ] is expected here.',
  InvalidSymbol: 'A word without quotes is not JSON.',
  EndOfFileExpected: 'Unexpected content after the end of the configuration.',
  UnexpectedEndOfComment: 'A comment is not closed.',
  UnexpectedEndOfString: 'A text is not closed.',
};

export function syntaxMessage({ error }: Pick<ParseError, 'error'>): string {
  return MESSAGES[printParseErrorCode(error)] ?? 'This is not JSON.';
}
