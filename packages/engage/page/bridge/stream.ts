/** Reads the messages of a response, either JSON or an event stream. */
import { type Fields, isFields } from '../../../footbridge/page/json.js';

export async function* messagesIn(response: Response): AsyncGenerator<Fields> {
  const streamed = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!streamed) {
    yield* parsed(await response.text());
    return;
  }
  for await (const event of eventsIn(response)) yield* parsed(event);
}

/** The data of each event. */
async function* eventsIn(response: Response): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
    // A trailing carriage return may be followed by a line feed.
    const whole = done ? `${rest}\n\n` : rest.replace(/\r$/, '');
    const blocks = whole.replace(/\r\n?/g, '\n').split('\n\n');
    const unfinished = blocks.pop() ?? '';
    rest = unfinished + (!done && rest.endsWith('\r') ? '\r' : '');
    for (const block of blocks) yield dataOf(block);
    if (done) return;
  }
}

function dataOf(block: string): string {
  return block
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? line.slice(5).replace(/^ /, '') : []))
    .join('\n');
}

function* parsed(text: string): Generator<Fields> {
  try {
    const message: unknown = JSON.parse(text);
    if (isFields(message)) yield message;
  } catch {
    // Keep-alive comments and unknown fields.
  }
}
