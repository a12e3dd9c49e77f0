/** A transport whose requests are observed from when they come until they are answered. */
import type { Transport } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { Observer, Operation, Outcome } from '../observer.js';
import { targetOf } from '../work.js';

/** To be called before a server connects to it. */
export function observe<T extends Transport>(
  transport: T,
  observer: Observer,
  about: Pick<Operation, 'transport' | 'sessionId' | 'caller' | 'protocolVersion'>,
  /** Whether a request is observed already. */
  isKnown: (id: string | number) => boolean = () => false,
): T {
  const running = new Map<string | number, (outcome: Outcome) => void>();
  const { send, setProtocolVersion, start } = transport;
  let protocolVersion: string | undefined;
  transport.setProtocolVersion = (version) => {
    protocolVersion = version;
    setProtocolVersion?.call(transport, version);
  };
  transport.start = async () => {
    // The server has set what it wants to hear, and only now is there something to stand in front of.
    const { onmessage, onclose } = transport;
    transport.onmessage = (message, extra) => {
      if ('method' in message && 'id' in message && !isKnown(message.id)) {
        const { method, params } = message;
        const meta = isFields(params?._meta) ? params._meta : undefined;
        // A session that began with another replica was not agreed upon here.
        const version = protocolVersion ?? extra?.request?.headers.get('mcp-protocol-version') ?? undefined;
        const operation = { ...about, method, target: targetOf(message), requestId: message.id, protocolVersion: version, meta };
        running.set(message.id, observer.begin(operation));
      }
      onmessage?.(message, extra);
    };
    transport.onclose = () => {
      for (const end of running.values()) end({ errorType: 'closed' });
      running.clear();
      onclose?.();
    };
    await start.call(transport);
  };
  transport.send = (message, options) => {
    if (!('method' in message) && message.id !== undefined) {
      running.get(message.id)?.({ errorType: errorTypeOf(message) });
      running.delete(message.id);
    }
    return send.call(transport, message, options);
  };
  return transport;
}

export function errorTypeOf(answer: object): string | undefined {
  if ('error' in answer && isFields(answer.error)) return String(answer.error['code']);
  return 'result' in answer && isFields(answer.result) && answer.result['isError'] === true ? 'tool_error' : undefined;
}
