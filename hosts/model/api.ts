/** What the APIs of models have in common: a turn is read from a request, and a move is written as the answer. */
import { elementsOf, fieldOf, stringOf } from '../json.js';

/** A tool as the host offers it to its model. */
export interface OfferedTool {
  readonly name: string;
  /** The whole definition as the model gets it. */
  readonly definition: unknown;
}

/** A request of the host to its model. */
export interface Turn {
  readonly tools: readonly OfferedTool[];
  /** The results of the calls that the request still contains. A host with little room left removes or replaces old ones. */
  readonly results: readonly CallResult[];
}

/** The result of a call, as text. */
export interface CallResult {
  /** The identifier of the call, if the API passes it on. */
  readonly id: unknown;
  readonly text: string;
}

/** What the model does with its turn. */
export type Move =
  | { readonly kind: 'call'; readonly tool: string; readonly id: string; readonly input: object }
  | { readonly kind: 'say'; readonly text: string };

/** An answer: one JSON value, or events of a stream. A string is sent as it is. */
export type Answer = { readonly json: unknown } | { readonly events: readonly AnswerEvent[] };

export interface AnswerEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** One API of models over HTTP. */
export interface ModelApi {
  /** Whether a path is the one that asks for a turn. */
  answers(path: string): boolean;
  read(body: unknown): Turn;
  write(move: Move, body: unknown, path: string): Answer;
}

/** The text of a result in any shape; a part without text is named in brackets. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(partText).join('\n');
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return stringOf(fieldOf(value, 'text')) ?? stringOf(fieldOf(value, 'output')) ?? JSON.stringify(value);
}

function partText(part: unknown): string {
  const text = fieldOf(part, 'text') ?? fieldOf(part, 'content');
  return text === undefined ? `[${stringOf(fieldOf(part, 'type')) ?? 'part'}]` : textOf(text);
}

/** The named tools of a list of definitions. */
export function toolsOf(definitions: unknown, nameOf: (definition: unknown) => unknown): OfferedTool[] {
  return elementsOf(definitions).flatMap((definition) => {
    const name = stringOf(nameOf(definition));
    return name === undefined ? [] : [{ name, definition }];
  });
}
