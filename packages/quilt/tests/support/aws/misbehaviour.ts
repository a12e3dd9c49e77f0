/** Injected failures of operations. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, refusal } from './errors.js';
import type { Operation, Service } from './operations.js';
import { jsonReply, type Outcome } from './replies.js';

/** With `times`, it ends after that many requests. */
export type AwsMisbehaviour = { readonly times?: number } & (
  | { readonly kind: 'throttle' | 'denied' | 'hang' | 'html' | 'garbage' | 'reset' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'delay'; readonly ms: number }
  /** A fixed response of Athena or Glue. */
  | { readonly kind: 'answer'; readonly body: object }
);

export interface Misbehaviours {
  set(operation: Operation, how: AwsMisbehaviour): void;
  clear(operation?: Operation): void;
  /** For the current request, which counts as one of its `times`. */
  take(operation: Operation | undefined): AwsMisbehaviour | undefined;
}

export function misbehaviours(): Misbehaviours {
  const current = new Map<Operation, { how: AwsMisbehaviour; left: number }>();
  return {
    set: (operation, how) => void current.set(operation, { how, left: how.times ?? Number.POSITIVE_INFINITY }),
    clear: (operation) => (operation === undefined ? current.clear() : void current.delete(operation)),
    take: (operation) => {
      const found = operation === undefined ? undefined : current.get(operation);
      if (found === undefined || found.left < 1) return undefined;
      found.left -= 1;
      return found.how;
    },
  };
}

const PAGE = '<!doctype html><html><head><title>Sign in</title></head><body><h1>Network sign in</h1></body></html>';

/** Undefined if the request continues; `denied` is handled later, when the principal is known. */
export async function answerBadly(how: AwsMisbehaviour, service: Service, response: ServerResponse): Promise<Outcome | undefined> {
  switch (how.kind) {
    case 'throttle':
      throw refusal(service, 'throttled');
    case 'status': {
      const { code, message } = refusal(service, 'broken');
      throw new Refusal(code, how.status, message);
    }
    case 'html':
      return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: PAGE };
    case 'garbage':
      return { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: '\u0000\u0001{"half": [<not<closed' };
    case 'answer':
      return jsonReply(how.body);
    case 'reset':
      response.destroy();
      return 'hang';
    case 'hang':
      return 'hang';
    case 'delay':
      await sleep(how.ms, undefined, { ref: false });
      return undefined;
    case 'denied':
      return undefined;
  }
}
