// A plugin for the bundle: the SDK's schemas are built, and its validator of JSON Schema is loaded, where they are first used. A start
// needs a few schemas of hundreds, and would spend a third of its time on the rest.

const CORE = /[/\\]@modelcontextprotocol[/\\]core[/\\]dist[/\\](?:schemas|auth)-[\w-]+\.mjs$/;
const SERVER = /[/\\]@modelcontextprotocol[/\\]server[/\\]dist[/\\]src-[\w-]+\.mjs$/;
const SHIMS = /[/\\]@modelcontextprotocol[/\\](?:client|server)[/\\]dist[/\\]shimsNode\.mjs$/;
const VALIDATOR = /^import \{ n as AjvJsonSchemaValidator \} from ("\.\/ajvProvider-[\w-]+\.mjs");$/m;
/** Functions that build the schemas of one revision of the protocol. */
const BUILDER = /^build(?:\$\d+)?$/;
/** Functions that ask for them, to make a table. */
const ASKER = /\bbuildSchemas\d+\(\)/;
const SCHEMA = /Schema(?:\$\d+)?$/;
/** How the SDK fills two tables of all schemas, and how they are filled here. */
const REGISTRATIONS = [
  ['_specTypeSchemas[name] = schema;', 'Object.defineProperty(_specTypeSchemas, name, { enumerable: true, get: schema });'],
  ['(v) => schema.safeParse(v).success', '(v) => schema().safeParse(v).success'],
  ['register(key, schemas_exports[key])', 'register(key, () => schemas_exports[key])'],
  [
    'const [key, schema] of Object.entries(authSchemas)) register(key, schema)',
    'const key of Object.keys(authSchemas)) register(key, () => authSchemas[key])',
  ],
];

/** Names what is built later, until the chunks are written. */
const MARK = 'builtLater__';
/** A use: neither the declaration nor the name of an export. */
const USE = new RegExp(`${notMember('"\'')}(?<!\\bconst )${MARK}[\\w$]+(?!["'])`, 'g');

export const sdkLater = {
  name: 'sdk-later',
  transform(code, module) {
    if (CORE.test(module)) return changed(code, this.parse(code), module, laterInCore);
    if (SHIMS.test(module)) return { code: validatorLater(code, module), map: null };
    if (!SERVER.test(module)) return null;
    const rest = REGISTRATIONS.reduce((text, [theirs, ours]) => {
      if (!text.includes(theirs)) throw new Error(`${module} does not register its schemas as expected.`);
      return text.replace(theirs, ours);
    }, code);
    return changed(rest, this.parse(rest), module, laterInServer);
  },
  renderChunk(code) {
    return code.includes(MARK) ? code.replace(USE, (name) => `${name}()`) : null;
  },
};

/** The validator is asked for its functions only, so a class with the same method can stand for it. */
function validatorLater(code, module) {
  if (!VALIDATOR.test(code)) throw new Error(`${module} does not import its validator as expected.`);
  return code.replace(
    VALIDATOR,
    (_, file) => `class AjvJsonSchemaValidator {
  constructor(ajv) { this.given = ajv; }
  getValidator(schema) { return (this.validator ??= new (require(${file}).n)(this.given)).getValidator(schema); }
}`,
  );
}

function changed(code, program, module, editsOf) {
  const edits = editsOf(code, program);
  if (edits.length === 0) throw new Error(`${module} does not declare its schemas as expected.`);
  return { code: applied(code, edits), map: null };
}

/** Each schema is a constant of the module. */
const laterInCore = (code, program) => later(code, program, declared(program.body, isCall));

/** What is made of the schemas of the core, the schemas of each revision, and the tables in which they are found. */
function laterInServer(code, program) {
  const usesSchemas = ({ end, start, type }) => !type.includes('Function') && /\w+Schema\b/.test(code.slice(start, end));
  const isTable = ({ properties = [] }) => properties.length > 0 && properties.every(isSchema);
  const tables = declared(program.body, isTable).flatMap(({ init }) => init.properties);
  const edits = later(
    code,
    program,
    declared(program.body, (init) => usesSchemas(init) && !isTable(init)),
    tables,
  );
  for (const { body, id, type } of program.body) {
    if (type !== 'FunctionDeclaration') continue;
    const isBuilder = BUILDER.test(id.name);
    if (!isBuilder && !ASKER.test(code.slice(body.start, body.end))) continue;
    const built = isBuilder ? declared(body.body, (init) => isCall(init) || init.type === 'Identifier') : [];
    // What a schema is made of is not asked for later than the schema.
    const isInside = ({ end, start }) => built.some(({ init }) => start >= init.start && end <= init.end);
    const objects = objectsIn(body).filter((object) => !isInside(object));
    edits.push(
      ...later(
        code,
        body,
        built,
        objects.flatMap(({ properties }) => properties.filter(isSchema)),
      ),
    );
  }
  return edits;
}

const isCall = ({ type }) => type === 'CallExpression';

/** Whether a property is a schema of that name, or one that is built for it. */
const isSchema = ({ computed, key, type, value }) =>
  type === 'Property' && !computed && (isCall(value) ? SCHEMA.test(key.name) : SCHEMA.test(value.property?.name ?? value.name));

/** The constants among these statements whose value is one of these. */
function declared(statements, isOne) {
  return statements
    .filter(({ kind, type }) => type === 'VariableDeclaration' && kind === 'const')
    .flatMap(({ declarations }) => declarations)
    .filter(({ id, init }) => id.type === 'Identifier' && init && isOne(init));
}

/** All object literals in a part of the program. */
function objectsIn(node) {
  if (Array.isArray(node)) return node.flatMap(objectsIn);
  if (node === null || typeof node !== 'object') return [];
  const rest = Object.values(node).flatMap(objectsIn);
  return node.type === 'ObjectExpression' ? [node, ...rest] : rest;
}

/** Edits after which these constants of `scope` are functions that build the value once, and these properties ask for theirs when read. */
function later(code, scope, constants, properties = []) {
  const edits = constants.flatMap(({ init }) => [
    { start: init.start, end: init.start, text: '/* @__PURE__ */ (() => { let built; return () => (built ??= ' },
    { start: init.end, end: init.end, text: '); })()' },
  ]);
  for (const { end, key, start, value } of properties) {
    const name = JSON.stringify(key.name ?? key.value);
    const built = isCall(value);
    edits.push({ start, end: value.start, text: `get ${name}() { ${built ? 'const value =' : 'return'} ` });
    edits.push({ start: end, end, text: built ? `; Object.defineProperty(this, ${name}, { value }); return value; }` : '; }' });
  }
  if (constants.length === 0) return edits;
  const names = new RegExp(`${notMember('')}(?:${constants.map(({ id }) => id.name.replaceAll('$', '\\$')).join('|')})(?![\\w$])`, 'g');
  for (const { 0: name, index } of code.slice(scope.start, scope.end).matchAll(names)) {
    const start = scope.start + index;
    // The name of a property that is shorthand is written with the property.
    edits.push({ start, end: start + name.length, text: `${MARK}${name}` });
  }
  return edits;
}

/** The start of a pattern for a name: neither part of a longer one nor that of a member. */
function notMember(others) {
  return `(?<=\\.\\.\\.|[^.\\w$${others}])`;
}

function applied(code, edits) {
  let result = '';
  let position = 0;
  for (const { end, start, text } of edits.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    if (start < position) continue;
    result += code.slice(position, start) + text;
    position = end;
  }
  return result + code.slice(position);
}
