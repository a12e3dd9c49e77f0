/** Anthropic's Messages API. */
import { elementsOf, fieldOf } from '../json.js';
import { type AnswerEvent, type ModelApi, type Move, textOf, toolsOf } from './api.js';

export const messages: ModelApi = {
  answers: (path) => path.endsWith('/v1/messages'),
  read: (body) => ({
    tools: toolsOf(fieldOf(body, 'tools'), (tool) => fieldOf(tool, 'name')),
    results: elementsOf(fieldOf(body, 'messages'))
      .flatMap((message) => elementsOf(fieldOf(message, 'content')))
      .filter((part) => fieldOf(part, 'type') === 'tool_result')
      .map((part) => ({ id: fieldOf(part, 'tool_use_id'), text: textOf(fieldOf(part, 'content')) })),
  }),
  write(move, body) {
    const stop = { stop_reason: move.kind === 'call' ? 'tool_use' : 'end_turn', stop_sequence: null };
    const base = { id: 'msg_1', type: 'message', role: 'assistant', model: fieldOf(body, 'model') };
    const usage = { input_tokens: 1, output_tokens: 1 };
    if (fieldOf(body, 'stream') !== true) return { json: { ...base, content: [blockOf(move)], ...stop, usage } };
    return { events: eventsOf(move, { ...base, content: [], stop_reason: null, stop_sequence: null, usage }, stop) };
  },
};

function blockOf(move: Move): object {
  return move.kind === 'call' ? { type: 'tool_use', id: move.id, name: move.tool, input: move.input } : { type: 'text', text: move.text };
}

function eventsOf(move: Move, message: object, stop: object): AnswerEvent[] {
  const empty = move.kind === 'call' ? { ...blockOf(move), input: {} } : { type: 'text', text: '' };
  const delta =
    move.kind === 'call' ? { type: 'input_json_delta', partial_json: JSON.stringify(move.input) } : { type: 'text_delta', text: move.text };
  const events = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: empty },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: stop, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  return events.map((data) => ({ event: data.type, data }));
}
