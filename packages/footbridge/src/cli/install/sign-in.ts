/** Whether a server at a URL wants its callers to sign in. */

const PATIENCE_MS = 5_000;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'footbridge-install', version: '1' } },
};

/** False also for one that cannot be reached now: it may be there when it is needed. */
export async function asksToSignIn(url: string): Promise<boolean> {
  // With a variable in it only the host knows the address.
  if (!/^https?:\/\//i.test(url) || url.includes('${') || !URL.canParse(url)) return false;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(INITIALIZE),
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await response.body?.cancel();
    const session = response.headers.get('mcp-session-id');
    if (session !== null)
      await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session }, signal: AbortSignal.timeout(PATIENCE_MS) });
    return response.status === 401;
  } catch {
    return false;
  }
}
