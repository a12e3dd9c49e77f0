/** OpenAI's Responses API. */
import { elementsOf, fieldOf, stringOf } from '../json.js';
import { type AnswerEvent, type ModelApi, type Move, type OfferedTool, textOf } from './api.js';

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

interface Place {
  readonly name: string;
  readonly namespace?: string;
}

export const responses: ModelApi = {
  answers: (path) => path.endsWith('/responses'),
  read: (body) => ({
    tools: [...placesOf(body)].map(([name, { definition }]): OfferedTool => ({ name, definition })),
    results: elementsOf(fieldOf(body, 'input'))
      .filter((item) => stringOf(fieldOf(item, 'type'))?.endsWith('_call_output'))
      .map((item) => ({ id: fieldOf(item, 'call_id'), text: textOf(fieldOf(item, 'output')) })),
  }),
  write(move, body) {
    const item = itemOf(move, body);
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: fieldOf(body, 'model'), usage: USAGE };
    const completed = { ...response, status: 'completed', output: [item] };
    if (fieldOf(body, 'stream') !== true) return { json: completed };
    return { events: eventsOf(move, item, response, completed) };
  },
};

/** Tools by the name that the script knows them by: inside a namespace, with the namespace before it. */
function placesOf(body: unknown): Map<string, Place & { readonly definition: unknown }> {
  const places = new Map<string, Place & { readonly definition: unknown }>();
  for (const tool of elementsOf(fieldOf(body, 'tools'))) {
    const name = stringOf(fieldOf(tool, 'name')) ?? stringOf(fieldOf(tool, 'type')) ?? '';
    if (fieldOf(tool, 'type') !== 'namespace') {
      places.set(name, { name, definition: tool });
      continue;
    }
    for (const inner of elementsOf(fieldOf(tool, 'tools'))) {
      const innerName = stringOf(fieldOf(inner, 'name')) ?? '';
      places.set(`${name}.${innerName}`, { name: innerName, namespace: name, definition: inner });
    }
  }
  return places;
}

function itemOf(move: Move, body: unknown): Readonly<Record<string, unknown>> {
  if (move.kind === 'say') {
    const content = [{ type: 'output_text', text: move.text, annotations: [] }];
    return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
  }
  const { name = move.tool, namespace } = placesOf(body).get(move.tool) ?? {};
  const place = namespace === undefined ? { name } : { name, namespace };
  return {
    type: 'function_call',
    id: `fc_${move.id}`,
    call_id: move.id,
    ...place,
    arguments: JSON.stringify(move.input),
    status: 'completed',
  };
}

function eventsOf(move: Move, item: Readonly<Record<string, unknown>>, response: object, completed: object): AnswerEvent[] {
  const empty = move.kind === 'call' ? { arguments: '' } : { content: [] };
  const at = { item_id: item['id'], output_index: 0 };
  const delta =
    move.kind === 'call'
      ? { type: 'response.function_call_arguments.delta', ...at, delta: item['arguments'] }
      : { type: 'response.output_text.delta', ...at, content_index: 0, delta: move.text };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, ...empty, status: 'in_progress' } },
    delta,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: completed },
  ];
  return events.map((data, sequence_number) => ({ event: data.type, data: { ...data, sequence_number } }));
}
