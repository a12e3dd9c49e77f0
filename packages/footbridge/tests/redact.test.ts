/** Redaction removes secrets and paths, and keeps ordinary text readable. */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { redact } from '../src/redact.js';
import { safeText } from '../src/serve/telemetry/safe-text.js';

const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA7bq\n'.repeat(3)}c2hvcnQ=\n-----END RSA PRIVATE KEY-----`;

const COMMIT = '2fd4e1c67a2d28fced849ee1bb76e7391b93eb12';

afterEach(() => vi.unstubAllEnvs());

describe('a secret in prose', () => {
  it.each([
    'password is swordfish',
    'The password is swordfish.',
    'login failed: the password was: swordfish, try again',
    'your passphrase is "swordfish"',
    'the secret is swordfish',
    'my api key is swordfish',
    'the api key: swordfish',
    'the access key was swordfish',
    'Das Passwort lautet swordfish',
    'Das Kennwort ist swordfish.',
    'Passwort: swordfish',
    'le mot de passe est swordfish',
  ])('is redacted: %s', (text) => {
    expect(redact(text)).not.toContain('swordfish');
    expect(redact(text)).toContain('[redacted]');
  });

  it.each([
    'password is required',
    'The password is not correct.',
    'the password was rejected by the server',
    'password is too short',
    'your password is case-sensitive',
    'the secret is missing',
    'the secret was rotated yesterday',
    'the API key is invalid',
    'the api key is not set',
    'Das Passwort ist falsch',
    'Das Kennwort ist erforderlich',
    'token expired',
    'the token is malformed',
    'the key is unique',
    'the session is closed',
    'a passage is long',
  ])('an ordinary sentence is unchanged: %s', (text) => expect(redact(text)).toBe(text));
});

describe('a secret with a revealing name', () => {
  it.each([
    'password=hunter2',
    'password: hunter2',
    'password = hunter2',
    'password:\n  hunter2',
    'DB_PASSWORD=hunter2',
    'PGPASSWORD=hunter2',
    'PASSWORD2=hunter2',
    '{"password":"hunter2"}',
    '{"password": "hunter2 with blanks hunter2", "user": "bob"}',
    '{"password":"with \\" hunter2"}',
    "{'password': 'hunter2'}",
    "'password' => 'hunter2'",
    '--password hunter2',
    '--client-secret=hunter2',
    '["--password","hunter2"]',
    'password%3Dhunter2',
    '%7B%22password%22%3A%22hunter2%22%7D',
    'https://example.org/a?page=1&access_token=hunter2&size=3',
    'https://example.org/a?X-Amz-Signature=hunter2',
    '{"body":"{\\"password\\":\\"hunter2\\",\\"user\\":\\"bob\\"}"}',
    '{"body":"{\\"inner\\":\\"{\\\\\\"apiKey\\\\\\":\\\\\\"hunter2\\\\\\"}\\"}"}',
    'x-api-key: hunter2',
    'githubToken: hunter2',
    'token: Bearer hunter2',
    'auth: Basic hunter2',
    'user[password]=hunter2',
    'headers["x-api-key"] = "hunter2"',
    '"credentials":{"user":"bob","value":"hunter2"},"page":1',
    'cookies: ["hunter2", "hunter2"]',
    'password=a,b;c&hunter2',
    'password={a}hunter2',
    '{"lines":"one\\nkey: hunter2"}',
    '<ApiKey>hunter2</ApiKey>',
    'Authorization: Digest username="bob", response="hunter2"',
    'curl -H "Authorization: hunter2" https://example.org',
    'Cookie: theme=dark; other=hunter2',
    'Set-Cookie: theme="dark"; other=hunter2; Path=/',
    "rawHeaders: ['x-api-key', 'hunter2']",
    '{"name":"x-api-key","value":"hunter2"}',
    'Bearer hunter2',
    'bearer%20hunter2',
    'Basic Ym9iOmh1bnRlcjI=',
    'PHPSESSID=hunter2',
    'code_verifier=hunter2',
    '\u001b[31mpassword\u001b[0m: hunter2',
    'postgres://bob:hunter2@db.example.org/a',
    'postgres://bob:p@/hunter2@db.example.org/a',
    'https://hunter2@example.org/a',
    'mysql://root:hunter2 hunter2@db.example.org/a',
    'bob:hunter2@tcp(db.example.org:3306)/a',
    'DSN=bob:p@hunter2@tcp(db.example.org:3306)/a',
    'curl -u bob:hunter2 https://example.org',
    'curl --user "bob:two hunter2" https://example.org',
    '["--user","bob:hunter2"]',
    'password "hunter2secret" rejected',
    '{"text":"password \\"hunter2secret\\" rejected"}',
    'the password is hunter2.',
    'The password was: hunter2',
    'client_secret is hunter2abcdef',
    'token (hunter2abcdef)',
    'PAT 2fd4e1c67a2d28hunter2e1bb76e7391b93eb12',
    'key: |\n  hunter2\n  hunter2\nuser: bob',
    'password: >-\r\n  hunter2',
    '{"lines":"one\\nkey: |\\n  two hunter2\\nuser: bob"}',
  ])('is removed from %j', (text) => {
    expect(redact(text)).toContain('[redacted]');
    expect(redact(text)).not.toMatch(/hunter2|Ym9iOmh1bnRlcjI/);
  });

  it('is removed without the surrounding text', () => {
    expect(redact('https://example.org/a?page=1&token=hunter2&size=3')).toBe('https://example.org/a?page=1&token=[redacted]&size=3');
    expect(redact('{"password":"a b","user":"bob"}')).toBe('{"password":"[redacted]","user":"bob"}');
    expect(redact('Server=db;Password=hunter2;Database=shop')).toBe('Server=db;Password=[redacted];Database=shop');
    expect(redact('postgres://bob:hunter2@db.example.org/shop')).toBe('postgres://[redacted]@db.example.org/shop');
    expect(redact('curl -u bob:hunter2 https://example.org')).toBe('curl -u bob:[redacted] https://example.org');
    expect(redact('password "hunter2" rejected')).toBe('password "[redacted]" rejected');
    expect(redact('key: |\n  hunter2\nuser: bob')).toBe('key: |\n  [redacted]\nuser: bob');
    expect(redact(`token ${COMMIT} of commit ${COMMIT}`)).toBe(`token [redacted] of commit ${COMMIT}`);
    expect(redact('The login (token=hunter2) failed.')).toBe('The login (token=[redacted]) failed.');
  });
});

describe('a secret with a known format', () => {
  it.each([
    `gh${'p_16C7e42F292c6912E7710c838347Ae178B4a'}`,
    `github_pat_${'11ABCDEFG0abcdefghij_klmnopqrstuvwxyz'}`,
    `glpat-${'aBcDeFgHiJkLmNoPqRsT'}`,
    `ATATT${'3xFfGF0T4JNjBLVNKLtAbMhVJy'}`,
    `npm_${'abcdefghijklmnopqrstuvwxyz0123456789'}`,
    `xoxb-${'123456789012-abcdefABCDEF'}`,
    `sk-${'proj-abcdefGHIJKL0123'}`,
    `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`,
    `AIza${'SyA1234567890abcdefghijklmnopqrstuv'}`,
    `hf_${'abcdefghijKLMNOPqrstuvwxyz01234567'}`,
    `dop_v1_${'0123456789abcdef0123456789abcdef'}`,
    `SG.${'abcdefghijklmnop'}.${'qrstuvwxyzABCDEFGH'}`,
    `AKIA${'IOSFODNN7EXAMPLE'}`,
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N',
    '4b3cq2w5e6r7tyu2i3o4p5a6s7d2f3g4h5j6k7l2z3x4c5v6b7n2',
    'Zm9vYmFyQmF6MTIzNDU2Nzg5MGFiY2RlZg',
    PEM,
  ])('is removed: %j', (secret) => {
    expect(redact(`Refused: ${secret} is unknown`)).toBe('Refused: [redacted] is unknown');
    expect(redact(JSON.stringify({ text: `first\n${secret}` }))).not.toContain(secret.slice(-12));
  });

  it('is found over several lines and after a name', () => {
    expect(redact(`private_key: ${PEM}\nuser: bob`)).toBe('private_key: [redacted]\nuser: bob');
  });

  it('is found in this process’s own environment, also encoded', () => {
    vi.stubEnv('SHOP_API_TOKEN', 'two plain words/');
    vi.stubEnv('SHOP_NAME', 'corner shop');
    for (const text of ['two plain words/', btoa('two plain words/'), encodeURIComponent('two plain words/')])
      expect(redact(`before ${text} after`)).toBe('before [redacted] after');
    expect(redact('the corner shop')).toBe('the corner shop');
  });
});

describe('a path of this machine', () => {
  it.each([
    ["ENOENT: no such file or directory, open '/home/bob/My Files/a.txt'", "ENOENT: no such file or directory, open '[path]/a.txt'"],
    ['Cannot access directory /home/bob/reports.', 'Cannot access directory [path]/reports.'],
    ['cannot read /etc/passwd today', 'cannot read [path]/passwd today'],
    ['(/srv/app/index.js:10:5)', '([path]/index.js:10:5)'],
    ["EACCES: permission denied, scandir '/root'", "EACCES: permission denied, scandir '[path]'"],
    ['open /root: permission denied', 'open [path]: permission denied'],
    ['nothing in /data', 'nothing in [path]'],
    ['path:/srv/app', 'path:[path]/app'],
    ['/home/bob is full', '[path] is full'],
    ['scandir "/Users/bob/"', 'scandir "[path]"'],
    ['~/.ssh/id_rsa is missing', '[path]/id_rsa is missing'],
    ['C:\\Users\\Bob Smith\\a.txt is missing', '[path]/a.txt is missing'],
    ['{"file":"C:\\\\Users\\\\bob"}', '{"file":"[path]"}'],
    ['\\\\server\\share\\a.txt is missing', '[path]/a.txt is missing'],
    ['\\\\server\\share is missing', '[path] is missing'],
    ['file:///home/bob/a.txt is missing', '[path]/a.txt is missing'],
    ['Broken\n    at read (/srv/app/a.js:1:2)\n    at main (/srv/app/b.js:1:2)', 'Broken'],
  ])('%j is shown as %j', (text, shown) => expect(redact(text)).toBe(shown));
});

describe('ordinary text', () => {
  it.each([
    'The key is missing',
    'token expired',
    'password required',
    'password: required',
    'password is required',
    'The password is too short: at least 8 characters',
    'secret is not set',
    'The token is invalid',
    'Invalid token: expected string',
    'Unexpected token "}" in JSON',
    'primary key violation',
    'key "address_line_2" is unknown',
    'secrets "shop-login" not found',
    'session 123e4567-e89b-12d3-a456-426614174000 ended',
    'docker run --user 1000:1000 shop',
    'http://localhost:3000 answers, says bob@example.org',
    'GET /users, 3 / 4, to / from',
    'pass "throwOnError" for a "/24"',
    'Unexpected token } in JSON at position 3',
    'duplicate key value violates the primary key of orders',
    'The public key of bob',
    'primaryKey: id',
    'token_count: 12, max_tokens=4096, token_type: access',
    'Bearer token is missing',
    'Basic authentication failed on the basic plan',
    'WWW-Authenticate: Bearer realm="shop"',
    'NoSuchKey: The specified key does not exist.',
    'ExpiredTokenException: The security token included in the request is expired',
    '123e4567-e89b-12d3-a456-426614174000',
    '123E4567-E89B-12D3-A456-426614174000',
    'commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
    '2026-01-31T10:20:30.123Z',
    'https://api.example.org/v2/Organizations/Members/List1?page=2&sort=Name&next=/account/settings#top',
    'https://example.org/cb?redirect_uri=https%3A%2F%2Fapp.example.org%2Fcallback%2Fdone',
    'http://localhost:3000/@bob/posts?mail=bob@example.org',
    'report://monthly/2026-01 and secret://shop/list',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'getaddrinfo ENOTFOUND db.example.org',
    'application/json and/or text/html; n/a',
    'com.example.shop.OrderServiceImpl2.findByCustomer failed',
    'Expected string, received number at items[0].price',
    'sk-learn-and-other-libraries are not installed',
  ])('is unchanged: %s', (text) => expect(redact(text)).toBe(text));
});

describe('redaction', () => {
  const PIECES = [
    'password',
    '=',
    ': ',
    '"',
    "'",
    '\\',
    '[redacted]',
    '[',
    ']',
    '{',
    '}',
    '/',
    'etc',
    '://',
    '@',
    ' ',
    '\n',
    'at ',
    'Bearer ',
    '%3D',
    ',',
    '&',
    'eyJabcdef',
    'C:\\',
    '--',
    '<key>',
    '</',
    'AbC123'.repeat(8),
    ' is ',
    '(',
    '|\n  ',
    '\\n',
    '-u a:',
    '@tcp(',
    'in /etc',
  ];
  const jumble = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 6 })), { maxLength: 40 }).map((all) => all.join(''));

  it('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(jumble, (text) => {
        const once = redact(text);
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 200 },
    );
  });

  it('leaves no part of a secret when it truncates a long text', () => {
    const secret = `glpat-${'aBcDeFgHiJkLmNoPqRsT'}`;
    vi.stubEnv('SHOP_PASSWORD', 'correct horse battery staple');
    for (let before = 8100; before <= 8200; before += 3) {
      for (const hidden of [secret, 'correct horse battery staple', `https://bob:${'zq'.repeat(20)}@example.org`, PEM]) {
        const shown = redact(`${'word '.repeat(before).slice(0, before - 1)} ${hidden} ${'more '.repeat(400)}`);
        expect(shown.length).toBeLessThanOrEqual(8192);
        expect(shown).not.toMatch(/aBcDeF|correct|zqzq|MIIE/);
        expect(shown).toMatch(/(?:…|\[redacted\])$/);
      }
    }
    expect(redact(`${'x,'.repeat(4096 - 8)}${secret}${',x'.repeat(5000)}`)).not.toContain('glpat-a');
  });

  it.each([
    'a',
    '/a',
    '"',
    '\\',
    'token=[',
    'token="\n',
    'a://',
    'a://@',
    'key=',
    '-',
    '--key ',
    '-----BEGIN PRIVATE KEY-----',
    'eyJaaaa.',
    ' at ',
    'A:\\',
    '%3D',
    '<key>',
    'sk-a',
    'Aa0',
    'a0',
    'token ',
    'token is ',
    'token "',
    'key: |\n ',
    'key: |\\n ',
    '-u a:',
    'a:@tcp(',
    'a://b:c ',
    'in /a ',
    '\n  ',
    // One that goes back over so much text would not come to an end within the time of a test.
  ])('finishes on a million times %j with a text of bounded length', (unit) => {
    expect(redact(unit.repeat(1_000_000)).length).toBeLessThan(20_000);
  });
});

describe('a text designed to be slow', () => {
  /** Repeated, each meets the repetition of some expression. */
  const PIECES = [
    ...[
      '\\',
      '\\\\"',
      "'",
      '/a',
      '/a,',
      'a://',
      'key=',
      'key=[\n',
      "key='\n",
      'token: ',
      '-u a:',
      '--user=',
      '--token ',
      'sk-',
      'eyJ-',
      'eyJa.',
    ],
    ...[
      '<token>',
      'bearer ',
      '\n\tat ',
      '~/',
      'C:\\',
      '\\\\a\\',
      'hf_',
      'ab1',
      'AKIA',
      'in /',
      'a:b@tcp(',
      'key: |\n ',
      '|\\n ',
      'realm=!',
      '%22',
    ],
  ];

  it('of 30 different paths of 7,800 backslashes is redacted quickly', () => {
    const start = performance.now();
    for (let index = 0; index < 30; index++) safeText(`/${index}${'\\'.repeat(7800)}`);
    expect(performance.now() - start).toBeLessThan(1500);
  });

  it('with any repetition and any end is redacted in linear time', () => {
    const start = performance.now();
    for (const piece of PIECES) for (const end of ['', '!', '"']) redact(`${piece.repeat(16_384 / piece.length)}${end}`.slice(-16_384));
    // About 2 s; one quadratic expression takes that much for a single text.
    expect(performance.now() - start).toBeLessThan(20_000);
  });

  it('is truncated before it is redacted, without part of a secret at the end', () => {
    const secret = `ghp_${'Ab1'.repeat(12)}`;
    expect(redact(`${'x'.repeat(2030)} ${secret} ${'y'.repeat(5000)}`, 2048)).not.toContain('Ab1');
    expect(redact('word '.repeat(10_000), 2048).length).toBeLessThanOrEqual(2048);
  });
});
