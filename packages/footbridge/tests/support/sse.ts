/** A client of the SSE transport of 2024 that records its messages and can stop reading. */
import { onTestFinished } from 'vitest';
import type { Json } from './client.js';
import { until } from './http-server.js';

export interface SseStream {
  /** Every received message, in order. */
  readonly received: readonly Json[];
  /** The URL that messages are posted to. */
  readonly address: string;
  /** Whether the server ended it. */
  readonly ended: boolean;
  /** Resolves with the status. */
  post(message: object): Promise<number>;
  /** Resolves with the answer on the stream. */
  request(message: { readonly id: number; readonly [field: string]: unknown }): Promise<Json>;
  close(): void;
}

/** Opens a stream; it is closed when the test is over. */
export async function openSse(origin: string, headers: Readonly<Record<string, string>> = {}): Promise<SseStream> {
  const controller = new AbortController();
  const response = await fetch(`${origin}/sse`, { headers, signal: controller.signal });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const received: Json[] = [];
  let text = '';
  let address = '';
  let ended = false;
  const take = (event: string) => {
    const data = /^data: (.*)$/m.exec(event)?.[1];
    if (data === undefined) return;
    if (/^event: endpoint$/m.test(event)) address = new URL(data, origin).href;
    else received.push(JSON.parse(data));
  };
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      events.forEach(take);
    }
  };
  void read()
    .catch(() => {})
    .finally(() => {
      ended = true;
    });
  await until(() => address !== '');
  onTestFinished(() => controller.abort());
  const post = async (message: object) => {
    const posted = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(message),
    });
    await posted.text();
    return posted.status;
  };
  return {
    received,
    address,
    get ended() {
      return ended;
    },
    post,
    async request(message) {
      const from = received.length;
      const answer = () => received.slice(from).find(({ id }) => id === message.id);
      await post(message);
      await until(() => ended || answer() !== undefined);
      return answer();
    },
    close: () => controller.abort(),
  };
}
