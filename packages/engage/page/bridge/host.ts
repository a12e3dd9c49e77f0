/**
 * Within an MCP Apps host, by the protocol of the extension io.modelcontextprotocol/ui. Written out, since the library's own side of it
 * would make the page five times as large; the tests hold it against the library's host.
 */
import { type Fields, isFields } from '../../../footbridge/page/json.js';
import { PageFailure } from '../workflow/failure.js';
import { adopt, watchSize } from './appearance.js';
import type { Bridge } from './bridge.js';
import { givenTo } from './given.js';
import { outcomeOf } from './outcome.js';
import { createPeer } from './peer.js';

const PROTOCOL_VERSION = '2026-01-26';

/** Throws if the parent window does not respond as a host within `timeoutMs`. */
export async function connectHost(parent: Window, timeoutMs: number): Promise<Bridge> {
  const given = givenTo();
  const peer = createPeer(parent, (method, params) => {
    if (method === 'ui/notifications/host-context-changed') adopt(params);
    if (method === 'ui/notifications/tool-result') given.take(params['structuredContent']);
  });
  const { hostContext, hostCapabilities } = await within(
    timeoutMs,
    peer.request('ui/initialize', {
      appInfo: { name: 'engage-red-hat-support', version: '1' },
      appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
      protocolVersion: PROTOCOL_VERSION,
    }),
  );
  document.documentElement.classList.add('embedded');
  if (isFields(hostContext)) adopt(hostContext);
  peer.notify('ui/notifications/initialized');
  watchSize((size) => peer.notify('ui/notifications/size-changed', size));
  return {
    context: { place: 'host' },
    async call(tool, input, options) {
      return outcomeOf(await peer.request('tools/call', { name: tool, arguments: input }, options));
    },
    async openLink(url) {
      const refused = () => ({ isError: true });
      return (await peer.request('ui/open-link', { url }).catch(refused))['isError'] !== true;
    },
    onGiven: given.listen,
    keep({ answers, text }) {
      if (!isFields(hostCapabilities) || hostCapabilities['updateModelContext'] === undefined) return;
      // Optional for the host.
      peer.request('ui/update-model-context', { content: [{ type: 'text', text }], structuredContent: answers }).catch(() => {});
    },
  };
}

async function within(timeoutMs: number, answer: Promise<Fields>): Promise<Fields> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    const failure = new PageFailure('unreachable', 'The host does not respond.', 'Close the page and open it again.');
    timer = setTimeout(() => reject(failure), timeoutMs);
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}
