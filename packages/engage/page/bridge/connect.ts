/** Detects where the page is shown. */
import type { Bridge } from './bridge.js';
import { directBridge, type SignIn } from './direct.js';
import { connectHost } from './host.js';
import { openAiBridge } from './openai.js';

const CONNECT_TIMEOUT_MS = 20_000;
/** A short timeout if there is an alternative. */
const SHORT_TIMEOUT_MS = 1500;

export async function connectBridge(signIn: SignIn): Promise<Bridge> {
  const embedded = window.parent !== window;
  if (!embedded) return window.openai === undefined ? directBridge(signIn) : openAiBridge(window.openai);
  try {
    return await connectHost(window.parent, window.openai === undefined ? CONNECT_TIMEOUT_MS : SHORT_TIMEOUT_MS);
  } catch (cause) {
    if (window.openai !== undefined) return openAiBridge(window.openai);
    throw cause;
  }
}
