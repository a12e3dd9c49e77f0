// The wrapped server, over HTTP and behind a token, with as much of an authorization server as client credentials need.
import { createServer } from 'node:http';
import { answer } from './sessions.mjs';

const TOKEN = 'valid-for-the-whole-run';

const server = createServer(async (request, response) => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  const json = (value) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const path = new URL(request.url, origin).pathname;
  if (path.startsWith('/.well-known/oauth-protected-resource')) return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
  if (path.startsWith('/.well-known/')) {
    return json({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    });
  }
  if (path === '/token') return json({ access_token: TOKEN, token_type: 'Bearer', expires_in: 86_400 });
  if (request.headers.authorization === `Bearer ${TOKEN}`) return answer(request, response);
  const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  response.writeHead(401, { 'www-authenticate': challenge }).end();
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`));
