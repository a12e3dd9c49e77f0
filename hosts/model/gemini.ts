/** The Gemini API. */
import { elementsOf, fieldOf } from '../json.js';
import { type ModelApi, textOf, toolsOf } from './api.js';

export const gemini: ModelApi = {
  answers: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read: (body) => ({
    tools: elementsOf(fieldOf(body, 'tools')).flatMap((tool) =>
      toolsOf(fieldOf(tool, 'functionDeclarations'), (declaration) => fieldOf(declaration, 'name')),
    ),
    results: elementsOf(fieldOf(body, 'contents'))
      .flatMap((content) => elementsOf(fieldOf(content, 'parts')))
      .map((part) => fieldOf(part, 'functionResponse'))
      .filter((answer) => answer !== undefined)
      .map((answer) => ({ id: fieldOf(answer, 'id'), text: textOf(fieldOf(answer, 'response')) })),
  }),
  write(move, _body, path) {
    const part = move.kind === 'call' ? { functionCall: { id: move.id, name: move.tool, args: move.input } } : { text: move.text };
    const chunk = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'scripted',
    };
    return path.includes(':stream') ? { events: [{ data: chunk }] } : { json: chunk };
  },
};
