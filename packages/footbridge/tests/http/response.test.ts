/** Headers of every response. */
import { once } from 'node:events';
import { createServer, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { HttpResponse } from '../../src/serve/http/response.js';

/** The headers of a response with two defaults that `answer` ends. */
async function headersOf(answer: (response: HttpResponse) => void) {
  const server = createServer({ ServerResponse: HttpResponse }, (_, response) => {
    response.addDefault('x-request-id', 'one');
    response.addDefault('access-control-allow-origin', 'https://a.example');
    answer(response);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { headers, status } = await fetch(`http://127.0.0.1:${port}/`);
  return [status, headers.get('x-request-id'), headers.get('access-control-allow-origin')];
}

it('adds the default headers to a response without headers', async () => {
  expect(await headersOf((response) => response.end('x'))).toEqual([200, 'one', 'https://a.example']);
});

const given: readonly [string, OutgoingHttpHeaders | OutgoingHttpHeader[]][] = [
  ['an object', { 'Access-Control-Allow-Origin': '*' }],
  ['a list', ['Access-Control-Allow-Origin', '*']],
];
it.each(given)('prefers a header of the answer over the default, given as %s', async (_, headers) => {
  expect(await headersOf((response) => response.writeHead(201, headers).end())).toEqual([201, 'one', '*']);
  expect(await headersOf((response) => response.writeHead(201, 'Created', headers).end())).toEqual([201, 'one', '*']);
});

it('prefers a header that was set before over the default', async () => {
  const answer = (response: HttpResponse) => response.setHeader('Access-Control-Allow-Origin', '*').end();
  expect(await headersOf(answer)).toEqual([200, 'one', '*']);
});
