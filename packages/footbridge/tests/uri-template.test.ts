/** URI templates: matching inverts expansion, for any URI. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TemplateIndex } from '../src/catalog/template-index.js';
import { atOnce } from '../src/turns.js';
import { bySpecificity, isTemplate, normalizeUri, parseUriTemplate } from '../src/uri-template.js';

/** Of section 3.2 of RFC 6570, with those of section 1.2. */
const VALUES = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: [],
};

const match = (template: string, uri: string) => parseUriTemplate(template).match(uri);
const missing = (template: string, uri: string) => parseUriTemplate(template).missing(uri);

describe('the examples of RFC 6570', () => {
  // The ones that say all about their variables, so that matching gives the values back.
  const bothWays: [string, string][] = [
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['{dub}', 'me%2Ftoo'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['map?{x,y}', 'map?1024,768'],
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{+path}', '/foo/bar'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['up{+path}{var}/here', 'up/foo/barvalue/here'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['X{#var}', 'X#value'],
    ['X{#hello}', 'X#Hello%20World!'],
    ['{#half}', '#50%25'],
    ['foo{#path}', 'foo#/foo/bar'],
    ['foo{#empty}', 'foo#'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path,x}/here', '#/foo/bar,1024/here'],
    ['{.who}', '.fred'],
    ['{.who,who}', '.fred.fred'],
    ['{.half,who}', '.50%25.fred'],
    ['X{.var}', 'X.value'],
    ['X{.x,y}', 'X.1024.768'],
    ['X{.empty}', 'X.'],
    ['{/who}', '/fred'],
    ['{/who,who}', '/fred/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var}', '/value'],
    ['{/var,empty}', '/value/'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{;who}', ';who=fred'],
    ['{;half}', ';half=50%25'],
    ['{;empty}', ';empty'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{;x,y}', ';x=1024;y=768'],
    ['{;x,y,empty}', ';x=1024;y=768;empty'],
    ['{?who}', '?who=fred'],
    ['{?half}', '?half=50%25'],
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{&who}', '&who=fred'],
    ['{&half}', '&half=50%25'],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
    ['{/var:1,var}', '/v/value'],
  ];

  const oneWay: [string, string][] = [
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['O{+empty}X', 'OX'],
    ['foo{#undef}', 'foo'],
    ['X{.undef}', 'X'],
    ['{/var,undef}', '/value'],
    ['{;v,bar,who}', ';v=6;who=fred'],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{&x,y,undef}', '&x=1024&y=768'],
    ['{count}', 'one,two,three'],
    ['{count*}', 'one,two,three'],
    ['{/count}', '/one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count}', ';count=one,two,three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{?count}', '?count=one,two,three'],
    ['{?count*}', '?count=one&count=two&count=three'],
    ['{&count*}', '&count=one&count=two&count=three'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{+path:6}here', '/foo/bhere'],
    ['{+list*}', 'red,green,blue'],
    ['{#path:6}here', '#/foo/bhere'],
    ['{#list*}', '#red,green,blue'],
    ['X{.var:3}', 'X.val'],
    ['X{.list*}', 'X.red.green.blue'],
    ['www{.dom*}', 'www.example.com'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{;hello:5}', ';hello=Hello'],
    ['{?var:3}', '?var=val'],
    ['X{.empty_keys}', 'X'],
    ['{?empty_keys}', ''],
    ['{?empty_keys*}', ''],
  ];

  it.each([...bothWays, ...oneWay])('expands %s to %s', (template, uri) => {
    expect(parseUriTemplate(template).expand(VALUES)).toBe(uri);
  });

  it.each(bothWays.filter(([template]) => template !== 'up{+path}{var}/here'))('finds in %s the values of %s', (template, uri) => {
    const { match, variables } = parseUriTemplate(template);
    expect(match(uri)).toEqual(Object.fromEntries(variables.map(({ name }) => [name, Reflect.get(VALUES, name)])));
  });
});

describe('expansion', () => {
  it('omits missing variables, even those with names of object properties', () => {
    expect(parseUriTemplate('a://b{?constructor,__proto__}').expand({})).toBe('a://b');
    expect(parseUriTemplate('a://b{?constructor}').expand({ constructor: 'x' })).toBe('a://b?constructor=x');
  });

  it('encodes a stray percent sign, and truncates between characters', () => {
    expect(parseUriTemplate('{+x}').expand({ x: '5%f é %41' })).toBe('5%25f%20%C3%A9%20%41');
    expect(parseUriTemplate('{x:1}{?x:1}').expand({ x: '😀😀' })).toBe('%F0%9F%98%80?x=%F0%9F%98%80');
    expect(parseUriTemplate('{+x}').expand({ x: [1, true] })).toBe('1,true');
    expect(parseUriTemplate('{x}').expand({ x: 'a\ud800' })).toBe('a%EF%BF%BD');
  });
});

describe('matching', () => {
  // Dots, dashes and tildes separate nothing in these templates; the rest is what separates, and what needs encoding.
  const value = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...'ab/?#&=;,:@%+ {}[]é😀\u0000~'), maxLength: 12 }),
  );
  const some = value.filter((text) => text !== '');
  // Reserved expansion keeps what looks encoded already, and any separator.
  const reserved = some.filter((text) => !/%[0-9a-f]{2}/i.test(text));

  it.each([
    ['docs://{a}', some],
    ['docs://pages/{a}/x/{b}', some],
    ['docs://{a,b,c}', some],
    ['docs://x{/a,b}', value],
    ['docs://x{;a,b}', value],
    ['docs://x{?a,b,c}', value],
    ['docs://x?y=1{&a,b}', value],
    ['docs://{a}{/b}{?c}', some],
    ['docs://{+a}', reserved],
    ['docs://x{#a}', reserved],
    ['docs://{a}{#b}', reserved],
    ['docs://{a}/{+b}', reserved],
    ['docs://{a}/y{/b}{?c}{#d}', reserved],
  ])('returns the values that %s was expanded with', (text, values) => {
    const template = parseUriTemplate(text);
    const names = template.variables.map(({ name }) => name);
    fc.assert(
      fc.property(fc.array(values, { minLength: names.length, maxLength: names.length }), (given) => {
        const wanted = Object.fromEntries(names.map((name, index) => [name, given[index] ?? '']));
        fc.pre(names.every((name) => wanted[name] !== `{${name}}`));
        expect(template.match(template.expand(wanted))).toEqual(wanted);
      }),
    );
  });

  it('agrees with expansion on everything that it accepts', () => {
    const template = parseUriTemplate('a://{x}{.e}/{+y}{/z}{;p}{?q,r}{#f}');
    let accepted = 0;
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'xab./;?#&=pqr%2F'), maxLength: 24 }), (rest) => {
        const found = template.match(`a://x/${rest}`);
        if (found === undefined) return;
        accepted++;
        expect(template.match(template.expand(found))).toBeDefined();
      }),
      { numRuns: 1_000 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  it('keeps a simple variable within its segment, but not a reserved one', () => {
    expect(match('docs://{a}', 'docs://x/y')).toBeUndefined();
    expect(match('docs://{a}', 'docs://x?y')).toBeUndefined();
    expect(match('docs://{a}', 'docs://x#y')).toBeUndefined();
    expect(match('docs://{a}', 'docs://')).toBeUndefined();
    expect(match('docs://{+a}', 'docs://x/y?z#w')).toEqual({ a: 'x/y?z#w' });
    expect(match('docs://{+a}', 'docs://')).toBeUndefined();
    expect(match('docs://{+a}/{b}', 'docs://x/y/z')).toEqual({ a: 'x/y', b: 'z' });
    expect(match('docs://{x,y}', 'docs://1,2,3')).toBeUndefined();
  });

  it('matches the whole URI, and literal text exactly', () => {
    expect(match('docs://pages/{a}/end', 'docs://pages/x/end/')).toBeUndefined();
    expect(match('docs://pages/{a}/end', 'xdocs://pages/x/end')).toBeUndefined();
    expect(match('docs://a.b/{x}', 'docs://aXb/y')).toBeUndefined();
    expect(match('docs://pages', 'docs://pages')).toEqual({});
    expect(match('a/{x}a', 'a/a')).toBeUndefined();
  });

  it('omits the variables of an absent optional expression', () => {
    const template = 'docs://{a}{/b}{?c,d}{#e}';
    expect(match(template, 'docs://x')).toEqual({ a: 'x' });
    expect(match(template, 'docs://x#z')).toEqual({ a: 'x', e: 'z' });
    expect(match(template, 'docs://x?d=1')).toEqual({ a: 'x', d: '1' });
    expect(match('X{#x,y}', 'X,foo')).toBeUndefined();
  });

  it('prefers a match with the optional expression', () => {
    expect(match('docs://{name}{.ext}', 'docs://archive.tar.gz')).toEqual({ name: 'archive.tar', ext: 'gz' });
    expect(match('docs://{+path}{?q}', 'docs://a/b?q=1')).toEqual({ path: 'a/b', q: '1' });
    expect(match('docs://{+path}{?q}', 'docs://a/b?r=1')).toEqual({ path: 'a/b?r=1' });
    expect(match('docs://{+path}{?q}{&r}{#f}', 'docs://a?q=1&r=2#3')).toEqual({ path: 'a', q: '1', r: '2', f: '3' });
  });

  it('accepts query keys in any order, each once, and no others', () => {
    const template = 'docs://x{?a,b}';
    expect(match(template, 'docs://x?b=2&a=1')).toEqual({ a: '1', b: '2' });
    expect(match(template, 'docs://x?a=1=/?:@')).toEqual({ a: '1=/?:@' });
    expect(match(template, 'docs://x?a=1&c=3')).toBeUndefined();
    expect(match(template, 'docs://x?a=1&a=1')).toBeUndefined();
    expect(match(template, 'docs://x?a=1&')).toBeUndefined();
    expect(match(template, 'docs://x?a')).toBeUndefined();
    expect(match(template, 'docs://x?')).toBeUndefined();
    expect(match('docs://x{?a,ab}', 'docs://x?ab=1')).toEqual({ ab: '1' });
  });

  it('joins the items of an exploded list', () => {
    expect(match('docs://x{/path*}', 'docs://x/a/b/c')).toEqual({ path: 'a/b/c' });
    expect(match('docs://x{?tag*}', 'docs://x?tag=a&tag=b')).toEqual({ tag: 'a,b' });
    expect(match('docs://x/{tag*}', 'docs://x/a,b')).toEqual({ tag: 'a,b' });
  });

  it('requires the same value for the same name', () => {
    expect(match('docs://{a}/{a}', 'docs://x/x')).toEqual({ a: 'x' });
    expect(match('docs://{a}/{a}', 'docs://x/y')).toBeUndefined();
    expect(match('docs://{a}{?a}', 'docs://x?a=y')).toBeUndefined();
    expect(match('docs://{a:1}/{a}', 'docs://x/xyz')).toEqual({ a: 'xyz' });
    expect(match('docs://{a:1}/{a}', 'docs://x/yz')).toBeUndefined();
    expect(match('docs://{a:1}', 'docs://xy')).toBeUndefined();
  });

  it('decodes once, and rejects what cannot be decoded', () => {
    expect(match('docs://{a}', 'docs://%252e%2F')).toEqual({ a: '%2e/' });
    expect(match('docs://{a}', 'docs://é %C3%A9')).toEqual({ a: 'é é' });
    expect(match('docs://{a}{b}', 'docs://%C3%A9%C3%A9')).toEqual({ a: 'é', b: 'é' });
    expect(match('docs://{a}{b}', 'docs://😀😀')).toEqual({ a: '😀', b: '😀' });
    for (const bad of ['%zz', '%', '%c3', '%c3%28', '%4', '\ud800', '\ufdd1', '%EF%B7%91']) {
      expect(match('docs://{a}', `docs://x${bad}`), bad).toBeUndefined();
    }
  });

  it('accepts literal text encoded or not, unless encoding changes its meaning', () => {
    expect(match('docs://größe/{a}', 'docs://größe/x')).toEqual({ a: 'x' });
    expect(match('docs://größe/{a}', 'docs://gr%c3%b6%C3%9Fe/x')).toEqual({ a: 'x' });
    expect(match('docs://a/b/{a}', 'docs://a%2Fb/x')).toBeUndefined();
    expect(match('docs://a%2Fb/{a}', 'docs://a%2fb/x')).toEqual({ a: 'x' });
  });

  it('ignores case in scheme and host only', () => {
    expect(match('Docs://Example.com/Page/{a}', 'dOCS://eXAMPLE.COM/Page/X')).toEqual({ a: 'X' });
    expect(match('docs://example.com/Page/{a}', 'docs://example.com/page/X')).toBeUndefined();
    expect(match('docs://{tenant}.Example.com/x', 'docs://AcMe.eXample.com/x')).toEqual({ tenant: 'AcMe' });
    expect(match('docs://Me@host/{a}', 'docs://me@host/x')).toBeUndefined();
    expect(match('mail:Box/{a}', 'MAIL:Box/x')).toEqual({ a: 'x' });
    expect(match('mail:Box/{a}', 'mail:box/x')).toBeUndefined();
    expect(match('docs://x{/Page}/End', 'docs://X/y/end')).toBeUndefined();
    expect(match('file://{+path}.MD', 'file://a/b.MD')).toEqual({ path: 'a/b' });
    expect(match('file://{+path}.MD', 'file://a/b.md')).toBeUndefined();
    expect(match('file://{+path}.MD', 'file://A.MD')).toEqual({ path: 'A' });
  });
});

describe('hostile input', () => {
  const long = (unit: string) => unit.repeat(Math.floor(8100 / unit.length));

  it.each([
    ['a://{+a}{+b}{+c}x{+d}!', `a://${long('x')}y`],
    ['a://{+a}{+b}{+c}x{+d}!', `a://${long('x')}!`],
    ['a://{a}{b}{c}{d}{e}{f}{g}{h}', `a://${long('x')}/`],
    ['a://{a}-{b}-{c}-{d}-{e}-{f}!', `a://${long('-')}/!`],
    ['a://x{?a,b,c}', `a://x?${long('a=1&')}`],
    ['a://x{?a*,b,c}z', `a://x?${long('a=1&')}`],
    ['a://{+a}{.b}{/c*}{?d}{#e}{+f}!', `a://${long('./?#')}`],
    [`a://${Array.from({ length: 32 }, (_, index) => `{+v${index}}-`).join('')}!`, `a://${long('-')}`],
    ['a://{+a}/{b}', `a://${long('%C3')}`],
    // One that tries all ways through so many characters would not come to an end within the time of a test.
  ])('is matched a hundred times in bounded time: %s', (text, uri) => {
    const template = parseUriTemplate(text);
    const first = template.match(uri);
    for (let round = 0; round < 100; round++) expect(template.match(uri)).toEqual(first);
  });

  it('is rejected if a URI or template is too long or has too many variables', () => {
    expect(match('a://{+a}', `a://${'x'.repeat(8192 - 4)}`)).toBeDefined();
    expect(match('a://{+a}', `a://${'x'.repeat(8192 - 3)}`)).toBeUndefined();
    expect(() => parseUriTemplate(`a://${'x'.repeat(8192)}`)).toThrow('longer than 8192');
    expect(() => parseUriTemplate('{a}'.repeat(33))).toThrow('33 variables');
  });

  it('may use any name as a variable', () => {
    const found = match('a://{__proto__}/{constructor}', 'a://x/y') ?? {};
    expect(Object.entries(found)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('a parsed template', () => {
  it('lists its variables in order, each once, and which are required', () => {
    const { variables, prefix } = parseUriTemplate('Docs://Host/Page/{a}/{+b}{/c*}{?d,a}{#e}');
    expect(prefix).toBe('docs://host/Page/');
    expect(variables.map(({ name, operator, required }) => `${operator}${name}${required ? '!' : ''}`)).toEqual([
      'a!',
      '+b!',
      '/c',
      '?d',
      '#e',
    ]);
    expect(variables.filter(({ spansSegments }) => spansSegments).map(({ name }) => name)).toEqual(['b', 'c', 'e']);
  });

  it.each([
    ['docs://{a', '"{" is never closed, at character 8'],
    ['docs://a}', '"}" closes nothing, at character 9'],
    ['docs://{}', '{} lacks a name, at character 9'],
    ['docs://{?}', '{?} lacks a name, at character 10'],
    ['docs://{a,}', '{a,} lacks a name, at character 11'],
    ['docs://{a b}', '"a b" is not a variable, at character 9'],
    ['docs://{x,=a}', '"=a" is not a variable, at character 11'],
    ['docs://{a:0}', '"a:0" is not a variable, at character 9'],
    ['docs://{{a}}', '"{" is never closed, at character 8'],
    ['docs://%zz{a}', '"%" is not followed by two digits, at character 8'],
    ['docs://%c3{a}', '"docs://%c3" is not encoded text, at character 1'],
  ])('cannot be %s', (template, fault) => {
    expect(() => parseUriTemplate(template)).toThrow(fault);
  });

  it('is a template if it has an expression', () => {
    expect(isTemplate('docs://{a}')).toBe(true);
    expect(isTemplate('docs://a')).toBe(false);
    expect(isTemplate('docs://%7Ba%7D')).toBe(false);
  });

  it.each([
    ['DOCS://User@HOST:80/Path?Q#F', 'docs://User@host:80/Path?Q#F'],
    ['MAILTO:Me@Host', 'mailto:Me@Host'],
    ['no uri At All', 'no uri At All'],
    ['X://İ', 'x://İ'],
  ])('normalizes %s to %s', (uri, normalized) => expect(normalizeUri(uri)).toBe(normalized));
});

describe('missing variables', () => {
  it.each([
    ['docs://pages/{name}', 'docs://pages/', ['name']],
    ['docs://pages/{name}', 'docs://pages', ['name']],
    ['docs://pages/{name}', 'DOCS://Pages', ['name']],
    ['docs://pages/{name}', 'docs://pages/{name}', ['name']],
    ['docs://pages/{name}', 'docs://pages/%7Bname%7D', ['name']],
    ['docs://pages/{+name}', 'docs://pages/{+name}', ['name']],
    ['docs://pages/{+name}', 'docs://pages/{name}', ['name']],
    ['docs://{Name}/x', 'docs://{Name}/x', ['Name']],
    ['docs://pages/{a}/{b}', 'docs://pages/x', ['b']],
    ['docs://pages/{a}/{b}', 'docs://pages/x/{b}', ['b']],
    ['docs://pages/{a}/{b}', 'docs://pages', ['a', 'b']],
    ['db://{table}/rows/{id}', 'db:///rows/5', ['table']],
    ['db://{table}/rows/{id}', 'db://{table}/rows/{id}', ['table', 'id']],
    ['docs://{id}{?q}', 'docs://{id}{?q}', ['id']],
    ['docs://{id}{?q}', 'docs://?q=1', ['id']],
  ])('of %s in %s are %j', (template, uri, names) => {
    expect(missing(template, uri)).toEqual(names);
    expect(match(template, uri)).toBeUndefined();
  });

  it.each([
    ['docs://pages/{name}', 'docs://pages/x'],
    ['docs://pages/{name}', 'docs://page'],
    ['docs://pages/{name}', 'docs://pages/x/y'],
    ['docs://pages/{name}', 'docs://pages/%zz'],
    ['docs://pages{/name}', 'docs://pages'],
    ['db://{table}/rows/{id}', 'db://users'],
    ['docs://{a}/{a}', 'docs://x/y'],
    ['docs://{a}/', 'docs://x'],
  ])('are not why %s does not match %s', (template, uri) => expect(missing(template, uri)).toBeUndefined());
});

describe('an index of templates', () => {
  const indexOf = (...templates: string[]) =>
    atOnce(TemplateIndex.stepsTo(templates.map((template) => ({ template: parseUriTemplate(template), value: template }))));

  it('orders by literal text, then by variables that span segments, then by number of variables', () => {
    const templates = ['a://{+x}', 'a://{x}{y}', 'a://{y}', 'a://{x}', 'a://x/{y}'].map((text) => ({ template: parseUriTemplate(text) }));
    expect(bySpecificity(templates).map(({ template }) => template.template)).toEqual([
      'a://x/{y}',
      'a://{y}',
      'a://{x}',
      'a://{x}{y}',
      'a://{+x}',
    ]);
  });

  it('finds the most specific, whatever the order, and the first of equals', () => {
    const index = indexOf('{+any}', 'a://{+path}', 'a://{x}/{y}', 'a://{x}/new', 'a://b/{y}', 'a://{z}/{w}');
    expect(index.find('a://c/new')).toEqual({ value: 'a://{x}/new', variables: { x: 'c' } });
    expect(index.find('a://b/c')).toEqual({ value: 'a://b/{y}', variables: { y: 'c' } });
    expect(index.find('a://c/d')).toEqual({ value: 'a://{x}/{y}', variables: { x: 'c', y: 'd' } });
    expect(index.find('a://c/d/e')).toEqual({ value: 'a://{+path}', variables: { path: 'c/d/e' } });
    expect(index.find('b://c')).toEqual({ value: '{+any}', variables: { any: 'b://c' } });
    expect(index.find('%zz')).toBeUndefined();
  });

  it('treats case and encoding as its templates do', () => {
    const index = indexOf('Docs://Größe.Example/Σ/{x}/Σ', 'file://{+path}.MD');
    expect(index.find('docs://Gr%c3%b6%c3%9fe.example/Σ/1/%CE%A3')?.variables).toEqual({ x: '1' });
    expect(index.find('docs://größe.example/σ/1/Σ')).toBeUndefined();
    expect(index.find('file://a/b.MD')?.variables).toEqual({ path: 'a/b' });
  });

  it('finds templates that only lack variables', () => {
    const index = indexOf('a://{x}/kind/{y}', 'docs://pages/{name}', 'docs://other');
    expect(index.findIncomplete('docs://pages')).toEqual({ value: 'docs://pages/{name}', missing: ['name'] });
    expect(index.findIncomplete('a://u/kind')).toEqual({ value: 'a://{x}/kind/{y}', missing: ['y'] });
    expect(index.findIncomplete('docs://pages/x')).toBeUndefined();
    expect(index.findIncomplete('docs://nothing')).toBeUndefined();
  });

  /** An index of a thousand, and how many matches were tried. */
  const counting = (template: (number: number) => string) => {
    let count = 0;
    const entries = Array.from({ length: 1000 }, (_, value) => {
      const parsed = parseUriTemplate(template(value));
      const match = (uri: string) => {
        count++;
        return parsed.match(uri);
      };
      const missing = (uri: string) => {
        count++;
        return parsed.missing(uri);
      };
      return { template: { ...parsed, match, missing }, value };
    });
    return { index: atOnce(TemplateIndex.stepsTo(entries)), tried: () => count };
  };

  it.each([
    ['prefixes of their own', (number: number) => `docs-${number}://pages/{name}`, 'docs-777://pages/x'],
    ['one prefix', (number: number) => `db://{table}/kind-${number}/{id}`, 'db://users/kind-777/x'],
  ])('finds one of a thousand with %s without trying all', (_, template, uri) => {
    const { index, tried } = counting(template);
    expect(index.find(uri)?.value).toBe(777);
    expect(tried()).toBe(1);
  });

  const every = Array.from({ length: 1000 }, (_, number) => `z${number}/`).join('');
  it.each([
    ['x://{a}/{b}/{c}/{d}/{last$}', `x://${'a/'.repeat(4000)}`, 0],
    ['x://{a}/{b}/{c}/{d}/{last$}', `x://${'a'.repeat(900)}/b`, 10],
    ['x://{a}-{b}-{c}-{d}/{last$}', `x://${'-'.repeat(980)}?`, 20],
    ['x://{a}/{+b}/z$/{c}', `x://a/${every}c/`, 50],
    ['x://{+a}/z$/{+a}', `x://a/${every}c`, 50],
  ])('stops early on a URI that resembles a thousand of %s', (template, uri, most) => {
    const { index, tried } = counting((number) => template.replace('$', String(number)));
    index.find(uri);
    index.findIncomplete(uri);
    expect(tried()).toBeLessThanOrEqual(most);
  });
});
