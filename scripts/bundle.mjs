// Bundles the command into files that start fast, and collects the licences of the bundled packages.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { modulesIn, pageScript, pageStyle } from './page.mjs';
import { sdkLater } from './sdk-later.mjs';

/** Replaces import() of Node's own modules in dependencies: the loader's code cache does not support import(). */
const builtinsAtHand = {
  name: 'builtins-at-hand',
  transform(code, module) {
    if (!/[/\\]node_modules[/\\]/.test(module)) return null;
    const atHand = code.replace(/\bimport\((["'])([\w:/]+)\1\)/g, (call, _quote, name) =>
      isBuiltin(name) ? `Promise.resolve(process.getBuiltinModule('${name}'))` : call,
    );
    return atHand === code ? null : { code: atHand, map: null };
  },
};

/** Optional packages of dependencies, for features that we do not use. */
const LEFT_OUT = /\bimport\((["'])@node-rs\/xxhash\1\)/g;

const withoutOptionalPackages = {
  name: 'without-optional-packages',
  transform(code, module) {
    if (!/[/\\]node_modules[/\\]/.test(module) || code.search(LEFT_OUT) === -1) return null;
    return { code: code.replace(LEFT_OUT, "Promise.reject(new Error('not in the bundle'))"), map: null };
  },
};

/** Chunks whose compiled code the loader keeps. */
const CACHED = new Set(['entry', 'stdio']);

/** Modules of Node that most starts do not need, and that take a millisecond or more to load. */
const LATER = ['node:crypto', 'node:fs/promises'];

/** Loads them where the entry first uses them. */
const builtinsLater = {
  name: 'builtins-later',
  renderChunk(code, { isEntry, name: chunk }) {
    if (!isEntry && !CACHED.has(chunk)) return null;
    return LATER.reduce((rendered, builtin) => {
      // The entry may be split from what it loads at once.
      if (!rendered.includes(`"${builtin}"`)) return rendered;
      const [declaration, variable] = new RegExp(`^let (\\w+) = require\\("${builtin}"\\);$`, 'm').exec(rendered) ?? [];
      if (declaration === undefined) throw new Error(`The entry does not import ${builtin} as expected.`);
      const uses = rendered.replace(declaration, '').replaceAll(new RegExp(`\\b${variable}\\.`, 'g'), `${variable}().`);
      if (new RegExp(`\\b${variable}\\b(?!\\(\\)\\.)`).test(uses)) throw new Error(`The entry uses ${builtin} as a whole.`);
      return `${uses}\nvar ${variable}Loaded;\nfunction ${variable}() {\n  return (${variable}Loaded ??= require("${builtin}"));\n}\n`;
    }, code);
  },
};

/** `INEFFECTIVE_DYNAMIC_IMPORT`: the library loads later what the command has at hand. */
const EXPECTED_LOGS = new Set(['EVAL', 'INEFFECTIVE_DYNAMIC_IMPORT']);

/** The options of every bundle of the command. */
export function bundling(input) {
  return {
    input: { footbridge: input },
    platform: 'node',
    // Has a binary for each platform, so npm installs it.
    external: ['@napi-rs/keyring'],
    // ES modules first, because unused parts of them can be left out.
    resolve: { mainFields: ['module', 'main'], alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    plugins: [builtinsAtHand, withoutOptionalPackages, sdkLater],
    onLog(level, log, handle) {
      if (!EXPECTED_LOGS.has(log.code)) handle(level, log);
    },
  };
}

/** What commands load before their first prompt, besides the input. */
const COMMANDS = ['program.js', join('fetched', 'add.js')];
/** What a start over stdio loads beside the input. */
const STDIO = 'serve-stdio.js';

/**
 * Everything that a start over stdio loads is in two files, even if later chunks need it too: on Node 20 only these have a code cache.
 * `entry` has what commands load at once as well, so that they load no server.
 */
function startGroups(input) {
  const known = new Map();
  const loadedBy = (names, context) => {
    const key = names.join();
    if (known.has(key)) return known.get(key);
    const found = new Set(names.map((name) => join(dirname(input), name)));
    for (const each of found) for (const imported of context.getModuleInfo(each)?.importedIds ?? []) found.add(imported);
    known.set(key, found);
    return found;
  };
  return [
    {
      debugName: 'entry',
      priority: 2,
      name(module, context) {
        const isShared = [COMMANDS, [STDIO]].every((names) => loadedBy(names, context).has(module));
        return isShared || loadedBy([basename(input)], context).has(module) ? 'entry' : null;
      },
    },
    { debugName: 'stdio', priority: 1, name: (module, context) => (loadedBy([STDIO], context).has(module) ? 'stdio' : null) },
  ];
}

/**
 * Bundles `input` into `folder/footbridge.cjs` and the chunks that it loads later, `headStart`, which the loader runs first, into a file of
 * its own, and the page in `page` into `folder/page`.
 */
export async function bundle(input, headStart, page, folder) {
  const draft = `${folder}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const options = bundling(input);
  const build = await rolldown({ ...options, plugins: [...options.plugins, builtinsLater], treeshake: true });
  const { output } = await build.write({
    dir: draft,
    format: 'cjs',
    minify: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name]-[hash].cjs',
    codeSplitting: { groups: startGroups(input) },
  });
  await build.close();
  // Code from the loader's cache cannot use import(). Chunks that are loaded later do not come from the cache.
  const outside = output
    .filter((file) => file.type === 'chunk' && (file.isEntry || CACHED.has(file.name)) && /\bimport\(/.test(file.code))
    .map((file) => file.fileName);
  if (outside.length > 0) throw new Error(`${outside.join(', ')} contains import(). Use process.getBuiltinModule for Node's own modules.`);
  const modules = [...modulesIn(output), ...(await bundleHeadStart(headStart, draft)), ...(await bundlePage(page, join(draft, 'page')))];
  writeFileSync(join(draft, 'THIRD-PARTY-LICENSES.txt'), licences(modules));
  // Replaced at the end, so that the command works during a build.
  rmSync(folder, { recursive: true, force: true });
  renameSync(draft, folder);
}

/** A single file: it must not load the bundle that it runs ahead of. */
async function bundleHeadStart(input, folder) {
  const build = await rolldown({ input: { 'head-start': input }, platform: 'node', treeshake: true });
  const { output } = await build.write({ dir: folder, format: 'cjs', minify: true, entryFileNames: '[name].cjs' });
  await build.close();
  if (output.length !== 1) throw new Error(`The head start must be one file, not ${output.map((file) => file.fileName).join(', ')}.`);
  return modulesIn(output);
}

/** Bundles the catalog page into three self-contained files; returns the bundled modules. */
async function bundlePage(source, folder) {
  const { code, modules } = await pageScript(source, 'main.tsx');
  const styles = join(source, 'styles');
  mkdirSync(folder);
  writeFileSync(join(folder, 'page.js'), code);
  writeFileSync(
    join(folder, 'page.css'),
    pageStyle(
      readdirSync(styles)
        .sort()
        .map((name) => join(styles, name)),
    ),
  );
  copyFileSync(join(source, 'index.html'), join(folder, 'index.html'));
  return modules;
}

/** The licences of all packages that the modules belong to, as one text. */
export function licences(modules) {
  const packages = new Map();
  for (const module of modules) {
    const root = packageRoot(module);
    if (root !== undefined) packages.set(root, JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  }
  /** Packages with the same text are listed together. */
  const names = new Map();
  for (const [root, { name, version, license }] of [...packages].sort(([, one], [, other]) => (one.name < other.name ? -1 : 1))) {
    const text = licenceText(root);
    names.set(text, [...(names.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  return [...names].map(([text, heads]) => `${heads.join('\n')}\n\n${text}`).join(`\n${'-'.repeat(80)}\n\n`);
}

function packageRoot(module) {
  if (!/[/\\]node_modules[/\\]/.test(module)) return undefined;
  let folder = dirname(module);
  while (!(existsSync(join(folder, 'package.json')) && 'version' in JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))) {
    folder = dirname(folder);
  }
  return folder;
}

function licenceText(root) {
  const file = readdirSync(root).find((name) => /^licen[cs]e/i.test(name));
  return file === undefined ? 'The package ships no licence text.\n' : readFileSync(join(root, file), 'utf8');
}
