/** Typical `footbridge.json` files are parsed on a faster path, with the same result. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../src/cli/config/load.js';
import { McpServersSchema } from '../src/cli/config/mcp-servers-schema.js';
import { plainServers } from '../src/cli/config/plain.js';
import { createWorld } from './support/folders.js';

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('', 'node', 'a\0b', 'https://example.org/mcp', 'https://u:p@example.org', 'a=b'),
);
const value = fc.oneof(
  word,
  fc.array(word, { maxLength: 3 }),
  fc.dictionary(word, word, { maxKeys: 3 }),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const usual = fc.record(
  {
    command: fc.constantFrom('node', 'npx'),
    args: fc.array(fc.stringMatching(/^[a-z-]{1,5}$/), { maxLength: 3 }),
    env: fc.constantFrom({}, { A: 'b' }),
    idle: fc.constantFrom(5, false),
    toolSearch: fc.constantFrom(true, false, 'auto'),
  },
  { requiredKeys: ['command'] },
);
const server = fc.oneof(
  usual,
  fc.record(
    { url: fc.constantFrom('https://example.org/mcp', 'http://127.0.0.1:8000'), type: fc.constantFrom('http', 'sse', 'stdio') },
    { requiredKeys: ['url'] },
  ),
  fc.record(
    {
      type: fc.constantFrom('stdio', 'http', 'sse', 'ftp'),
      command: word,
      url: word,
      args: fc.array(word, { maxLength: 3 }),
      env: fc.dictionary(word, word, { maxKeys: 3 }),
      headers: fc.dictionary(word, word, { maxKeys: 3 }),
      cwd: word,
      idle: fc.oneof(fc.double(), fc.boolean()),
      toolSearch: fc.constantFrom(true, false, 'auto', 'never'),
      disabled: fc.boolean(),
    },
    { requiredKeys: [] },
  ),
  fc.record({ command: value, args: value, env: value, cwd: value, idle: value, prefix: value }, { requiredKeys: ['command'] }),
  fc.record({ url: value, headers: value, type: value }, { requiredKeys: ['url'] }),
);
const name = fc.oneof(
  fc.stringMatching(/^[\w.+-]{1,8}$/),
  fc.constantFrom('a', 'a'.repeat(64), 'a'.repeat(65), 'a__b', '-a', 'a.', 'constructor'),
);

describe('a server of nothing but plain settings', () => {
  it('is one that the schema accepts, with the same outcome', () => {
    let plainOnes = 0;
    fc.assert(
      fc.property(name, server, (called, settings) => {
        const { plain, rest } = plainServers({ mcpServers: { [called]: settings } });
        const judged = McpServersSchema.safeParse({ [called]: settings });
        if (plain.size === 0) expect(rest).toEqual({ mcpServers: { [called]: settings } });
        else expect(judged.data?.[called]).toEqual(plain.get(called));
        plainOnes += plain.size;
      }),
      { numRuns: 2000, seed: 1 },
    );
    expect(plainOnes).toBeGreaterThan(100);
  });
});

describe('a file without comments', () => {
  const VARIABLES = { SET: 'set', EMPTY: '' };
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables as the file has them
  const FILES: readonly (readonly [what: string, text: string])[] = [
    [
      'plain and other servers, in their order',
      '{"mcpServers":{"b":{"command":"x"},"a":{"command":"y","prefix":"p"},"2":{"url":"https://a.example"}}}',
    ],
    ['variables', '{"mcpServers":{"a":{"command":"${SET}","args":["${NOPE:-d}","$${SET}"],"env":{"K":"${EMPTY:-e}"}}}}'],
    ['an unset variable', '{"skills":["${NOPE}"]}'],
    ['a variable that leaves a command empty', '{"mcpServers":{"a":{"command":"${EMPTY}"}}}'],
    ['a variable with an escape', '{"skills":["./\\u0024{SET}","./$\\u007bSET}","./\\\\u0024{SET}"]}'],
    ['a variable with an escape in a source', '{"sources":["github:a/\\u0024{SET}"]}'],
    ['a variable in a source', '{"sources":["github:a/${SET}"]}'],
    ['a variable under "sources" of something else', '{"mcpServers":{"sources":{"command":"${SET}"}}}'],
    ['two of one name', '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}'],
    ['two of one name, one of them escaped', '{"mcpServers":{"a":{"command":"x"},"\\u0061":{"command":"y"}}}'],
    ['colons, braces and quotes in texts', '{"mcpServers":{"a":{"command":"{\\"a\\":1}","args":["\\\\","[:,]"]}}}'],
    ['a name for the prototype', '{"mcpServers":{"__proto__":{"command":"x"}}}'],
    ['a disabled server', '{"mcpServers":{"a":{"command":"x","disabled":true},"b":{"command":"y","disabled":false}}}'],
    ['a wrong server beside a good one', '{"mcpServers":{"a":{"command":"x"},"b":{"comand":"x"}}}'],
    ['no object', '[]'],
    ['more after the end', '{} {}'],
  ];
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables as the file has them

  it.each(FILES)('means the same as with one: %s', async (_what, text) => {
    const world = createWorld();
    const outcome = async (written: string) => {
      world.write('project/footbridge.json', written);
      const io = { cwd: world.path('project'), home: world.path('home'), env: VARIABLES };
      return loadConfig(world.path('project/footbridge.json'), io, false).catch((error: unknown) => String(error));
    };
    const plain = await outcome(text);
    // Of the same length on the first line, so that places are the same.
    expect(plain).toEqual(await outcome(`${text}\n// a comment`));
    if (typeof plain !== 'string')
      expect(Object.keys(plain.mcpServers)).toEqual(
        Object.keys(JSON.parse(text).mcpServers ?? {}).filter((each) => JSON.parse(text).mcpServers[each].disabled !== true),
      );
  });
});
