/** A Footbridge in this process with one server that requires a sign-in, as over stdio. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { silentLog } from '../../src/log.js';
import { ownContext } from '../../src/sources/context.js';
import { upstreams } from '../../src/sources/upstream/index.js';
import type { OAuthSettings } from '../../src/sources/upstream/options.js';
import { LoginStore } from '../../src/sources/upstream/sign-in/login-store.js';
import type { ProtectedWorld } from './protected-server.js';

export function loginFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-logins-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type Bridge = ReturnType<typeof footbridge>;

/** The server is called `docs`. */
export function footbridge(
  { url }: Pick<ProtectedWorld, 'url'>,
  folder: string,
  oauth?: OAuthSettings,
  environment: NodeJS.ProcessEnv = {},
) {
  const source = upstreams({
    servers: { docs: { url, oauth } },
    oneHost: true,
    logins: { store: new LoginStore(folder), environment },
    log: silentLog,
  });
  let current: Awaited<ReturnType<typeof source.open>> | undefined;
  const opened = source.open(
    (next) => {
      current = next;
    },
    () => {},
  );
  onTestFinished(() => source.end());
  const call = async (name: string, args = {}) => {
    // The list is updated shortly after a call.
    const tool = await vi.waitUntil(() => current?.tools?.find(({ entry }) => entry.name === name), { timeout: 5000, interval: 10 });
    if (!('upstream' in tool)) throw new Error(`${name} is not of an upstream`);
    return tool.upstream.forward('tools/call', { name, arguments: args }, ownContext());
  };
  return {
    async listed() {
      current ??= await opened;
      await source.listed();
      return this.tools;
    },
    get tools() {
      return (current?.tools ?? []).map(({ entry }) => entry.name);
    },
    get failure() {
      return current?.upstreams?.[0]?.failure;
    },
    call,
    text: async (name: string) => JSON.stringify(await call(name)),
  };
}

/** Signs in with the link of the tool. */
export async function signIn(bridge: Bridge, world: ProtectedWorld): Promise<void> {
  await bridge.listed();
  expect((await world.browse(linkIn(await bridge.text('sign_in_to_docs')))).status).toBe(200);
  await expect.poll(() => bridge.tools).toEqual(['whoami', 'write']);
}

export function linkIn(text: string): string {
  return /http:\S+/.exec(text.replaceAll('\\n', ' '))?.[0] ?? '';
}

/** A client that was registered by hand. */
export const REGISTERED = {
  client_id: 'footbridge',
  redirect_uris: ['http://127.0.0.1/callback'],
  application_type: 'native' as const,
  token_endpoint_auth_method: 'none' as const,
};
