import { describe, expect, it } from 'vitest';
import { issueKey, jiraBaseUrl } from '../src/jira/base-url.js';
import { PackOptions } from '../src/options.js';
import { failureOf } from './support/failures.js';

const HERE = { local: true };

function codeOf(...given: Parameters<typeof jiraBaseUrl>): Promise<string> {
  return failureOf((async () => jiraBaseUrl(...given))()).then(({ code }) => code);
}

describe('Jira URLs', () => {
  it.each([
    ['https://jira.example.com', 'https://jira.example.com/'],
    [' HTTPS://Jira.Example.com:443/jira// ', 'https://jira.example.com/jira/'],
    ['http://localhost:8080/jira', 'http://localhost:8080/jira/'],
    ['http://127.1.2.3/', 'http://127.1.2.3/'],
    ['http://[::1]:2990/jira/', 'http://[::1]:2990/jira/'],
  ])('normalizes %s to %s', (given, meant) => {
    expect(jiraBaseUrl(given, HERE).href).toBe(meant);
  });

  it.each([
    'jira.example.com',
    'http://jira.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://0.0.0.0',
    'ftp://localhost',
    'https://jane:pw@jira.example.com',
    'https://jane@jira.example.com',
    'https://jira.example.com?',
    'https://jira.example.com/?a=b',
    'https://jira.example.com/#',
    'https://jira.exa\nmple.com',
    `https://jira.example.com/${'a'.repeat(3000)}`,
    '',
  ])('rejects %j without repeating it', async (given) => {
    const failure = await failureOf((async () => jiraBaseUrl(given, HERE))());
    expect(failure.code).toBe('validation_error');
    expect(failure.text.replace('https://jira.example.com.', '')).not.toContain(given || 'nothing');
  });

  it('are limited to the allowed hosts', async () => {
    const allowed = ['Jira.Example.com', 'jira.example.org:8443', 'bücher.example:0443', '127.0.0.1:2990', '[::1]:8080', 'localhost:80'];
    for (const local of [true, false]) {
      for (const url of [
        'https://jira.example.com/',
        'https://jira.example.org:8443/',
        'https://xn--bcher-kva.example/',
        'http://127.0.0.1:2990/',
        'http://[::1]:8080/',
        'http://localhost/',
      ])
        expect(jiraBaseUrl(url, { allowed, local }).href).toBe(url);
      for (const url of [
        'https://jira.example.com:8443',
        'https://jira.example.org',
        'https://jira.example.net',
        'https://jira.example.org:844',
        'http://127.0.0.1:2991',
        'https://localhost',
      ])
        expect(await codeOf(url, { allowed, local }), url).toBe('validation_error');
    }
  });

  it.each([
    'http://127.0.0.1:8080',
    'https://127.0.0.1',
    'https://127.1',
    'https://2130706433',
    'http://localhost:8080',
    'https://localhost.',
    'https://jira.localhost',
    'https://0.0.0.0',
    'https://169.254.169.254',
    'https://[::]',
    'https://[::1]:8443',
    'https://[::127.0.0.1]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:169.254.169.254]',
    'https://[fe80::1]',
    'https://10.0.0.5/',
    'https://[64:ff9b::127.0.0.1]',
  ])('rejects addresses of the server itself and its networks for remote callers: %s', async (given) => {
    expect(await codeOf(given, { local: false })).toBe('validation_error');
    expect(jiraBaseUrl(given, HERE).href).toMatch(/^https?:/);
  });

  it.each(['https://192.0.2.1:8443/', 'https://[2001:db8::1]/', 'https://localhost.example.com/'])(
    'accepts addresses of other machines: %s',
    (given) => {
      expect(jiraBaseUrl(given, { local: false }).href).toBe(given);
    },
  );

  it.each([
    'https://jira.example.org',
    'jira.example.org/jira',
    'jira.example.org/',
    'jira.example.org:',
    'jira.example.org:99999',
    'jira.example.org:https',
    'ada@jira.example.org',
    'jira.example.org?x',
    '*.example.org',
    '::1',
    'two hosts',
    '',
  ])('rejects the allowed host %j and says what to write', (entry) => {
    const { error } = PackOptions.safeParse({ jiraHosts: ['jira.example.com', entry] });
    expect(error?.issues).toMatchObject([{ path: ['jiraHosts', 1], message: expect.stringContaining('jira.example.org:8443') }]);
  });

  it('validates issue keys', async () => {
    expect(issueKey(' abc_1-42\n')).toBe('ABC_1-42');
    for (const given of ['', 'ABC', 'ABC-', 'A-1', '1BC-1', 'ABC-1/../..', 'ABC-1?x', 'ÄBC-1', 'ABC-1 ABC-2']) {
      expect(await failureOf((async () => issueKey(given))()).then(({ code }) => code)).toBe('validation_error');
    }
  });
});
