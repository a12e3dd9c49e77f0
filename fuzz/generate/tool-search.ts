/** Tools that are found by a search, with hostile schemas, and calls with hostile arguments. */
import fc from 'fast-check';
import type { ToolSearchCase } from '../case.js';
import { fields, many, repeat, type Value } from '../value.js';
import { count, hostileValue, longText, mutated, oddName, oddText } from './values.js';

/** Of a tool: an entry may have 524,288 bytes. */
const MAX_SCHEMA = 400_000;
const MAX_ARGUMENTS = 1_000_000;

/** Where a schema leads, also to itself. */
const reference = fc.oneof(
  fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/properties/text', '#/$defs', '#a', '#/', 'https://example.org/schema', '#/$defs/~1~0'),
  longText(4000),
);

/** Schemas with branches in branches, each of which many times. */
const schema: fc.Arbitrary<Value> = fc.letrec<{ any: Value }>((tie) => {
  const any = tie('any');
  const several = fc.oneof(
    fc.array(any, { maxLength: 3 }).map((items): Value => items),
    fc.tuple(any, count(MAX_SCHEMA / 100)).map(([item, times]) => many(item, times)),
  );
  const keyword: fc.Arbitrary<readonly [string, Value]> = fc.oneof(
    fc.tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'), several),
    fc.tuple(fc.constantFrom('items', 'additionalProperties', 'not', 'if', 'then'), any),
    reference.map((target) => ['$ref', target] as const),
    fc.tuple(
      fc.constant('required'),
      fc.oneof(
        fc.constant<Value>(['a', 'b', 'c', 'd', 'e', 'f']),
        count(20_000).map((times) => many('field-{#}', times)),
      ),
    ),
    fc.tuple(fc.constant('type'), fc.oneof(fc.constantFrom<Value>('object', 'array', 'string', ['string', 'null']), several)),
    fc.tuple(
      fc.constant('enum'),
      fc.oneof(
        hostileValue(5000),
        count(20_000).map((times) => many('value-{#}', times)),
      ),
    ),
    fc.tuple(fc.constantFrom('properties', '$defs'), fc.oneof(fc.dictionary(oddName, any, { maxKeys: 4 }), count(20_000).map(fields))),
    fc.tuple(
      fc.constantFrom('const', 'pattern', 'minLength', 'maxItems', 'maximum', 'nullable', 'patternProperties', 'description'),
      hostileValue(5000),
    ),
  );
  const made = fc.array(keyword, { maxLength: 4 }).map((entries): Value => Object.fromEntries(entries));
  return { any: fc.oneof({ depthSize: 'small', maxDepth: 5 }, fc.constantFrom<Value>({}, true, false, { $ref: '#' }), made) };
}).any;

const tool: fc.Arbitrary<Value> = fc
  .record({
    name: fc.oneof({ weight: 4, arbitrary: fc.constant<Value>('echo') }, { weight: 1, arbitrary: oddText }),
    description: fc.oneof(longText(60_000), oddText),
    inputSchema: fc.oneof({ weight: 4, arbitrary: schema }, { weight: 1, arbitrary: hostileValue(MAX_SCHEMA) }),
    outputSchema: fc.oneof({ weight: 3, arbitrary: fc.constant<Value>({ type: 'object' }) }, { weight: 1, arbitrary: schema }),
    annotations: fc.oneof(fc.constantFrom<Value>({ readOnlyHint: true }, { destructiveHint: false }), hostileValue(1000)),
  })
  .map((entry): Value => entry);

const listed: fc.Arbitrary<Value> = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(tool, { minLength: 1, maxLength: 3 }).map((tools): Value => tools) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(oddText, count(3000))
        .map(([description, times]) => many({ name: 'tool-{#}', description, inputSchema: { type: 'object' } }, times)),
    },
  )
  .map((tools): Value => ({ tools }));

const given: fc.Arbitrary<Value> = fc.oneof(
  { weight: 2, arbitrary: count(24_000).map(fields) },
  { weight: 2, arbitrary: count(100_000).map((times): Value => ({ list: many(1, times) })) },
  { weight: 1, arbitrary: count(20_000).map((times) => repeat('{"a":1}', times)) },
  { weight: 3, arbitrary: hostileValue(MAX_ARGUMENTS) },
  {
    weight: 3,
    arbitrary: mutated(
      { text: 'x', a: { b: [1, { c: null }] }, list: ['a', 1, {}], 'field-1': 1, 'field-2': { 'field-3': [] } },
      MAX_ARGUMENTS,
    ),
  },
);

const call = fc.oneof(
  { weight: 2, arbitrary: fc.oneof(oddText, longText(600)).map((query) => ({ name: 'find_tools', arguments: { query } as Value })) },
  { weight: 1, arbitrary: fc.constant({ name: 'find_tools', arguments: { query: 'echo' } as Value }) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('call_tool', 'call_destructive_tool'), fc.oneof(fc.constant<Value>('echo'), oddText), given)
      .map(([name, target, values]) => ({ name, arguments: { name: target, arguments: values } as Value })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('find_tools', 'call_tool', 'call_destructive_tool'), hostileValue(MAX_ARGUMENTS))
      .map(([name, values]) => ({ name, arguments: values })),
  },
);

export const toolSearchCase: fc.Arbitrary<ToolSearchCase> = fc.record({
  entry: fc.constant('tool-search' as const),
  listed,
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
});
