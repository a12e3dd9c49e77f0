/** Whatever a reader throws becomes one Footbridge error without secrets. */

import { McpServer } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { Catalog, createServer, defineResource, defineResources, FootbridgeError, footbridge } from 'footbridge';
import { describe, expect, it } from 'vitest';
import { toFailure } from '../src/catalog/failure.js';
import { failuresWithSecrets } from './support/failures.js';
import { connect } from './support/memory.js';

const URI = 'report://monthly/2026-01';

/** What is shown of a failure, as one text. */
const shownOf = ({ message, details, suggestedActions }: FootbridgeError) => JSON.stringify({ message, details, suggestedActions });
const failureOf = (cause: unknown) => toFailure(cause, URI);
const withProperties = (error: Error, properties: object) => Object.assign(error, properties);

describe('a denied read', () => {
  it.each<[string, unknown]>([
    ['status 401', { status: 401 }],
    ['status 403', withProperties(new Error('no'), { statusCode: 403 })],
    ['a response of 403', { message: 'no', response: { status: 403 } }],
    ['an Amazon status', { $metadata: { httpStatusCode: 403 } }],
    ['a numeric code', { code: 401 }],
    ['AccessDeniedException', withProperties(new Error('no'), { name: 'AccessDeniedException' })],
    ['the code UNAUTHORIZED', { code: 'UNAUTHORIZED' }],
    ['FORBIDDEN in its data', { code: -32000, message: 'no', data: { code: 'FORBIDDEN' } }],
    ['SignatureDoesNotMatch', new Error('SignatureDoesNotMatch: The request signature we calculated does not match')],
    ['a message that begins with the status', new Error('403 Forbidden')],
    ['a cause that is', new Error('could not load', { cause: { status: 401 } })],
  ])('is Unauthorized: %s', (_, cause) => {
    const failure = failureOf(cause);
    expect(failure).toMatchObject({ code: 'Unauthorized', retryable: false });
    expect(failure.message).toBe(`Access to resource '${URI}' is denied.`);
    expect(failure.suggestedActions.join(' ')).toMatch(/Ask for access.*get_resource without arguments/);
  });

  it('suggests to sign in again when the credentials have expired', () => {
    expect(failureOf({ name: 'ExpiredTokenException', message: 'The security token is expired' }).suggestedActions[0]).toMatch(
      /^Sign in again/,
    );
  });

  it.each<[string, unknown]>([
    ['a file this machine may not read', withProperties(new Error('EACCES: permission denied'), { code: 'EACCES' })],
    ['a sentence that begins with the word', new Error('Forbidden characters in the name')],
  ])('is not %s', (_, cause) => expect(failureOf(cause).code).toBe('ResourceExecutionError'));
});

describe('any other failure', () => {
  it.each<[string, unknown]>([
    ...['ECONNRESET', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_SOCKET'].map(
      (code): [string, unknown] => [code, withProperties(new Error('network'), { code })],
    ),
    ...['ThrottlingException', 'TooManyRequestsException', 'SlowDown', 'ProvisionedThroughputExceededException', 'TimeoutError'].map(
      (name): [string, unknown] => [name, { name, message: 'later' }],
    ),
    ...[408, 429, 500, 502, 503, 504].map((status): [string, unknown] => [`status ${status}`, { status }]),
    ['fetch failed', new TypeError('fetch failed')],
    ['an MCP timeout', { code: -32001, message: 'Request timed out' }],
    ['a message with its status', new Error('Request failed with status code 503')],
    ['several that are', new AggregateError([withProperties(new Error('x'), { code: 'ECONNREFUSED' })])],
  ])('may pass: %s', (_, cause) => {
    expect(failureOf(cause)).toMatchObject({ code: 'ResourceExecutionError', retryable: true });
    expect(failureOf(cause).suggestedActions[0]).toMatch(/^Retry in a moment/);
  });

  it.each<[string, unknown]>([
    ['ENOENT', withProperties(new Error('x'), { code: 'ENOENT' })],
    ['missing credentials', { name: 'CredentialsProviderError', message: 'Could not load credentials from any providers' }],
    ...[400, 404, 405, 501].map((status): [string, unknown] => [`status ${status}`, { status }]),
    ['TypeError', new TypeError('x is not a function')],
    ['TypeError over a network error', new TypeError('x', { cause: { code: 'ECONNRESET' } })],
    ['ReferenceError', new ReferenceError('x')],
    ['SyntaxError', new SyntaxError('x')],
    ['a wrong certificate', new TypeError('fetch failed', { cause: withProperties(new Error('x'), { code: 'CERT_HAS_EXPIRED' }) })],
    ['the unknown', new Error('the cat is on the keyboard')],
  ])('will not pass: %s', (_, cause) => {
    expect(failureOf(cause)).toMatchObject({ code: 'ResourceExecutionError', retryable: false });
    expect(failureOf(cause).suggestedActions[0]).toMatch(/^Retrying will not help.*operator/);
  });

  it('describes the innermost cause', () => {
    const refused = withProperties(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
    expect(failureOf(new TypeError('fetch failed', { cause: refused }))).toMatchObject({
      message: `Failed to retrieve resource '${URI}'.`,
      details: 'TypeError: fetch failed Caused by connect ECONNREFUSED 127.0.0.1:5432',
    });
    expect(failureOf(new AggregateError([refused], '')).details).toContain('ECONNREFUSED');
    expect(failureOf(new RangeError('Invalid\u0000 array\r\nlength')).details).toBe('RangeError: Invalid array length');
    expect(failureOf('plain text').details).toBe('plain text');
    const long = failureOf(new Error('word '.repeat(100_000), { cause: new Error('the end') })).details;
    expect(long).toContain('the end');
    expect(long?.length).toBeLessThanOrEqual(500);
  });

  it('is one line of bounded length, whatever the URI', () => {
    expect(toFailure('x', `report://${'a\n'.repeat(5000)}`).message).toMatch(/^.{1,300}$/);
  });
});

describe('a FootbridgeError', () => {
  it('stays the same object when nothing is redacted', () => {
    const own = new FootbridgeError('NotFound', 'No such report.', { suggestedActions: ['List again.'], retryable: true });
    expect(failureOf(own)).toBe(own);
  });

  it('keeps its code when something is redacted', () => {
    const own = new FootbridgeError('InvalidTemplateVariable', 'Wrong token=hunter2', {
      suggestedActions: ['Set password=hunter2'],
      details: 'in /etc/shop/config',
      retryable: true,
    });
    const failure = failureOf(own);
    expect(failure).toMatchObject({ code: 'InvalidTemplateVariable', retryable: true, details: 'in [path]/config' });
    expect(shownOf(failure)).not.toContain('hunter2');
  });
});

describe('a hostile thrown value', () => {
  const broken = () => {
    throw new Error('trap');
  };
  const cyclic = new Error('cyclic');
  cyclic.cause = cyclic;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  let endless: unknown = new Error('deep');
  for (let depth = 0; depth < 10_000; depth++) endless = new Error('shallow', { cause: endless });
  const traps = { get: broken, has: broken, ownKeys: broken, getPrototypeOf: broken, getOwnPropertyDescriptor: broken };
  const getters = Object.defineProperties({}, { message: { get: broken }, cause: { get: broken }, errors: { get: broken } });
  const things: [string, unknown][] = [
    ['undefined', undefined],
    ['null', null],
    ['a number', 42],
    ['a big integer', 10n],
    ['a symbol', Symbol('x')],
    ['a symbol without a name', Symbol()],
    ['a function', () => 'x'],
    ['an object without prototype', Object.create(null)],
    ['an object whose toString throws', { toString: broken, message: { toString: broken } }],
    ['getters that throw', getters],
    ['a proxy that throws', new Proxy(new Error('x'), traps)],
    ['a proxy of ours that throws', new Proxy(new FootbridgeError('NotFound', 'x', { suggestedActions: [] }), { get: broken })],
    ['a revoked proxy', revoked.proxy],
    ['a cause that is a revoked proxy', new Error('x', { cause: revoked.proxy })],
    ['errors that are a revoked proxy', { errors: revoked.proxy }],
    ['errors that are endless', { errors: Array.from({ length: 100_000 }, () => new Error('x')) }],
    ['a cycle', cyclic],
    ['a very long chain', endless],
    ['a huge message', new Error('x'.repeat(20_000_000))],
    ['half a character', new Error('\ud800 password=\udfff')],
  ];
  it.each(things)('becomes an ordinary failure: %s', (_, thing) => {
    expect(failureOf(thing)).toMatchObject({ code: 'ResourceExecutionError', retryable: false });
    expect(shownOf(failureOf(thing)).length).toBeLessThan(1500);
  });
});

describe('generated failures', () => {
  it('contain no secret, nor twelve characters of one', () => {
    fc.assert(
      fc.property(failuresWithSecrets, ({ thrown, pieces }) => {
        const shown = shownOf(failureOf(thrown));
        expect(pieces.filter((piece) => shown.includes(piece))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('do not reach a host by tool or resources/read', async () => {
    let thrown: unknown;
    const fail = () => {
      throw thrown;
    };
    const catalog = await Catalog.open([
      defineResources([
        defineResource({ uri: 'fail://static', name: 'x', read: fail }),
        defineResource({ uri: 'fail://{by}', name: 'y', read: fail }),
      ]),
    ]);
    const author = new McpServer({ name: 'author', version: '1' });
    author.registerResource('x', 'fail://static', {}, fail);
    const own = await connect(createServer({ catalog }));
    const bridged = await connect(footbridge(author));
    await fc.assert(
      fc.asyncProperty(failuresWithSecrets, async (failure) => {
        thrown = failure.thrown;
        own.received.length = 0;
        bridged.received.length = 0;
        await own.call('get_resource', { uri: 'fail://static' });
        await own.call('get_resources', { uris: ['fail://template'] });
        await own.request('resources/read', { uri: 'fail://static' });
        // The author's own route is unchanged; only our tool is ours to clean.
        await bridged.call('get_resource', { uri: 'fail://static' });
        const seen = JSON.stringify([own.received, bridged.received]);
        expect(failure.pieces.filter((piece) => seen.includes(piece) || seen.includes(JSON.stringify(piece).slice(1, -1)))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    catalog.close();
  }, 120_000);
});
