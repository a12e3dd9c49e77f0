/** For hosts with the older `window.openai` instead of MCP Apps. Without progress. */
import { type Fields, isFields, textIn } from '../../../footbridge/page/json.js';
import { PageFailure } from '../workflow/failure.js';
import { adopt } from './appearance.js';
import type { Bridge } from './bridge.js';
import { givenTo } from './given.js';
import { outcomeOf } from './outcome.js';

export interface OpenAi {
  readonly theme?: string;
  readonly toolOutput?: unknown;
  callTool(name: string, input: Fields): Promise<unknown>;
  openExternal?(link: { readonly href: string }): unknown;
}

declare global {
  interface Window {
    readonly openai?: OpenAi;
  }
}

export function openAiBridge(openai: OpenAi): Bridge {
  const given = givenTo();
  let before: unknown;
  const look = () => {
    adopt({ theme: openai.theme });
    if (openai.toolOutput !== before) given.take(openai.toolOutput);
    before = openai.toolOutput;
  };
  document.documentElement.classList.add('embedded');
  window.addEventListener('openai:set_globals', look);
  look();
  return {
    context: { place: 'host' },
    async call(tool, input) {
      try {
        return outcomeOf(resultOf(await openai.callTool(tool, input)));
      } catch (cause) {
        const message = cause instanceof Error ? cause.message : 'The host rejected the call.';
        throw new PageFailure('refused', message, 'Try again.');
      }
    },
    async openLink(url) {
      if (openai.openExternal === undefined) return false;
      openai.openExternal({ href: url });
      return true;
    },
    onGiven: given.listen,
    keep() {},
  };
}

/** The result itself, or `{ result }` with the structure as JSON text. */
function resultOf(answer: unknown): Fields {
  if (!isFields(answer)) return {};
  const text = textIn(answer, 'result');
  if (text === undefined) return answer;
  try {
    return { structuredContent: JSON.parse(text) };
  } catch {
    return { content: [{ type: 'text', text }] };
  }
}
