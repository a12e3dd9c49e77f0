/** Answers that wait for their client. */
import { bytesOf } from '../json-pieces.js';
import type { MemoryHold } from '../memory-budget.js';
import { type Answer, errorResponse } from './messages.js';

export const TOO_MANY_UNREAD = 'Too many unread responses. Read them before you send more requests.';
/** The code for what the server refuses whatever the method is. */
export const REFUSED_CODE = -32000;
/** Bytes of an answer, beyond which they are not counted one by one. */
const MAX_COUNTED = 64 * 1024 * 1024;

/** Counts an answer in its request; one that leaves its caller with too many unread becomes an error. */
export function fittingAnswer(answer: Answer, memory: MemoryHold): Answer {
  const bytes = bytesOf(answer, MAX_COUNTED);
  if (memory.queue(bytes)) return answer;
  const refused = errorResponse(answer.id, { code: REFUSED_CODE, message: TOO_MANY_UNREAD });
  memory.queue(bytesOf(refused, MAX_COUNTED) - bytes);
  return refused;
}

/** Counts answers that are written in pieces. False if their caller has to read others first. */
export function countUnread(answer: object, memory: MemoryHold): boolean {
  return memory.queue(bytesOf(answer, MAX_COUNTED));
}
