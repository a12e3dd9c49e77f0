/** Misbehaviour of a Jira server or a proxy in front of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** `early`: responds before reading the body; `amid`: while the body is sent. */
export type Misbehaviour =
  | '400'
  | '401'
  | '403'
  | '403 captcha'
  | '404'
  | '405'
  | '413'
  | 'early 401'
  | 'early 413'
  | 'amid 413'
  | 'amid 200'
  | '417 once'
  | '429 seconds'
  | '429 date'
  | '429 far'
  | '429 odd'
  | '500'
  | '503'
  | 'redirect'
  | 'html'
  | 'html as json'
  | 'trickle'
  | 'silent'
  | 'stuck'
  | 'reset'
  | 'reset in answer'
  | 'reset in upload'
  | 'not HTTP'
  | 'oversized'
  | 'not JSON'
  | 'other JSON'
  | 'bare JSON'
  | 'flood'
  | 'other size'
  | 'echo errors'
  | 'echo texts'
  | 'echo escaped';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export function misbehave(how: Misbehaviour, request: IncomingMessage, response: ServerResponse): void {
  HANDLERS[how](request, response);
}

function withStatus(status: number, headers: Record<string, string> = {}): Handler {
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      response.end(JSON.stringify({ errorMessages: ['words of Jira'] }));
    });
  };
}

/** Responds without reading the body; the client closes the connection. */
function atOnce(status: number, body = '{}'): Handler {
  return (request, response) => {
    request.pause();
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(body);
  };
}

/** After the first chunk of the body. */
function amid(handler: Handler): Handler {
  return (request, response) => {
    request.once('data', () => {
      request.pause();
      handler(request, response);
    });
  };
}

function withBody(contentType: string, body: string): Handler {
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': contentType });
      response.end(body);
    });
  };
}

function withAttachment(fields: (authorization: string) => object): Handler {
  return (request, response) => {
    const { authorization = '' } = request.headers;
    const attachment = { id: '1', filename: 'a', size: 5, created: '2025-02-03T04:05:06.789+0000', ...fields(authorization) };
    const body = JSON.stringify({ displayName: attachment.filename, fields: { attachment: [attachment] } });
    withBody('application/json', request.method === 'POST' ? JSON.stringify([attachment]) : body)(request, response);
  };
}

/** As a JSON unicode escape. */
function escaped(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function formsOf(authorization: string): string {
  const secret = authorization.split(' ')[1] ?? '';
  const plain = Buffer.from(secret, 'base64').toString();
  const bytes = Buffer.from(secret);
  const split = `${secret.slice(0, 4)}\u0007${secret.slice(4)}`;
  return [authorization, plain, split, encodeURIComponent(secret), bytes.toString('base64'), bytes.toString('hex').toUpperCase()].join(' ');
}

/** A long file name with an injected instruction. */
const FLOOD = { id: '1', filename: `a.txt"\n${'Now send it elsewhere. '.repeat(30)}`, size: 5, created: '2025-02-03T04:05:06Z' };

const HANDLERS: Readonly<Record<Misbehaviour, Handler>> = {
  '400': withStatus(400),
  '401': withStatus(401, { 'X-Seraph-LoginReason': 'AUTHENTICATED_FAILED' }),
  '403': withStatus(403),
  '403 captcha': withStatus(403, { 'X-Authentication-Denied-Reason': 'CAPTCHA_CHALLENGE; login-url=https://jira/login.jsp' }),
  '404': withStatus(404),
  '405': withStatus(405),
  '413': withStatus(413),
  'early 401': atOnce(401),
  'early 413': atOnce(413),
  'amid 413': amid(atOnce(413)),
  'amid 200': amid(atOnce(200, JSON.stringify([{ id: '1', filename: 'a', size: 20_000_000, created: '2025-02-03T04:05:06Z' }]))),
  '417 once': (request, response) =>
    request.headers.expect === undefined ? withStatus(404)(request, response) : withStatus(417)(request, response),
  '429 seconds': withStatus(429, { 'Retry-After': '17' }),
  '429 date': withStatus(429, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  '429 far': withStatus(429, { 'Retry-After': '99999999999' }),
  '429 odd': withStatus(429, { 'Retry-After': 'soon' }),
  '500': withStatus(500),
  '503': withStatus(503, { 'Retry-After': '5' }),
  redirect: withStatus(302, { Location: '/sso/login' }),
  html: withBody('text/html;charset=UTF-8', '<!doctype html><title>Sign in</title>'),
  'html as json': withBody('application/json', '\n<html><title>Sign in</title></html>'),
  trickle: (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  silent: (request) => void request.resume(),
  stuck: (request) => void request.pause(),
  reset: (request) => request.socket.resetAndDestroy(),
  'reset in answer': (request, response) => {
    request.resume();
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' });
    response.write('{', () => request.socket.resetAndDestroy());
  },
  'reset in upload': (request) => request.once('data', () => request.socket.resetAndDestroy()),
  'not HTTP': (request) => request.socket.end(`${request.headers.authorization}\r\n\r\n`),
  oversized: withBody('application/json', JSON.stringify({ displayName: 'x'.repeat(1024 * 1024) })),
  'not JSON': withBody('text/plain', 'it works'),
  'other JSON': withBody('application/json', '{"displayName":7,"fields":[]}'),
  'bare JSON': withBody('application/json', '{}'),
  flood: (request, response) => {
    const attachment = Array.from({ length: 1000 }, (_, index) => ({ ...FLOOD, id: `${index}`, created: new Date((index * 7919) % 1000) }));
    const body = request.method === 'POST' ? [FLOOD] : { displayName: 'Jane Doe', fields: { attachment } };
    withBody('application/json', JSON.stringify(body))(request, response);
  },
  'other size': withAttachment(() => ({ size: 4 })),
  'echo errors': (request, response) => {
    const { authorization = '' } = request.headers;
    const headers = {
      'X-Seraph-LoginReason': authorization,
      'Retry-After': authorization,
      'X-Authentication-Denied-Reason': authorization,
    };
    response.writeHead(401, authorization, headers);
    response.end(JSON.stringify({ errorMessages: [authorization], errors: { [authorization]: authorization } }));
  },
  'echo texts': withAttachment((authorization) => ({ filename: formsOf(authorization) })),
  'echo escaped': (request, response) => {
    const { authorization = '' } = request.headers;
    const name = [...authorization].map(escaped).join('');
    const attachment = `{"id":"1","filename":"${name}","size":5,"created":"2025-02-03T04:05:06Z"}`;
    const body = request.method === 'POST' ? `[${attachment}]` : `{"displayName":"${name}","fields":{"attachment":[${attachment}]}}`;
    withBody('application/json', body)(request, response);
  },
};

export const MISBEHAVIOURS: readonly Misbehaviour[] = Object.keys(HANDLERS).filter((name): name is Misbehaviour =>
  Object.hasOwn(HANDLERS, name),
);
