/** OpenAI's Chat Completions API. */
import { elementsOf, fieldOf } from '../json.js';
import { type ModelApi, type Move, textOf, toolsOf } from './api.js';

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

export const chatCompletions: ModelApi = {
  answers: (path) => path.endsWith('/chat/completions'),
  read: (body) => ({
    tools: toolsOf(fieldOf(body, 'tools'), (tool) => fieldOf(fieldOf(tool, 'function'), 'name') ?? fieldOf(tool, 'name')),
    results: elementsOf(fieldOf(body, 'messages'))
      .filter((message) => fieldOf(message, 'role') === 'tool')
      .map((message) => ({ id: fieldOf(message, 'tool_call_id'), text: textOf(fieldOf(message, 'content')) })),
  }),
  write(move, body) {
    const message = messageOf(move);
    const finish_reason = move.kind === 'call' ? 'tool_calls' : 'stop';
    const base = { id: 'chatcmpl-1', created: 1, model: fieldOf(body, 'model') };
    if (fieldOf(body, 'stream') !== true) {
      return { json: { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage: USAGE } };
    }
    const chunk = { ...base, object: 'chat.completion.chunk' };
    return {
      events: [
        { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] } },
        { data: { ...chunk, choices: [], usage: USAGE } },
        { data: '[DONE]' },
      ],
    };
  },
};

function messageOf(move: Move): object {
  if (move.kind === 'say') return { role: 'assistant', content: move.text };
  const { id, tool, input } = move;
  const call = { index: 0, id, type: 'function', function: { name: tool, arguments: JSON.stringify(input) } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}
