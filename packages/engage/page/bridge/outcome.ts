/** Parses tool results and progress notifications. */
import { type Fields, fieldsIn, isFields, textIn } from '../../../footbridge/page/json.js';
import type { Outcome, Progress } from './bridge.js';

/** Of a tool's result. */
export function outcomeOf(result: Fields): Outcome {
  const { structuredContent } = result;
  return {
    isError: result['isError'] === true,
    structuredContent: isFields(structuredContent) ? structuredContent : {},
    text: fieldsIn(result['content'])
      .flatMap((block) => textIn(block, 'text') ?? [])
      .join('\n'),
  };
}

/** Of the parameters of `notifications/progress`. */
export function progressOf(fields: Fields): Progress {
  const { progress, total } = fields;
  return {
    done: typeof progress === 'number' ? progress : 0,
    total: typeof total === 'number' && total > 0 ? total : undefined,
    message: textIn(fields, 'message'),
  };
}
