#!/usr/bin/env node
// Loads the bundled command. V8's compiled code is kept between starts, which saves a third of each.
'use strict';
// First, in syntax that any Node can parse: an old one fails at the code below, without a reason.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) refuseNode();

const {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const nodeModule = require('node:module');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { homedir } = require('node:os');
const { Script } = require('node:vm');

const folder = join(__dirname, '..', 'bundle');
const entry = join(folder, 'footbridge.cjs');
const { FOOTBRIDGE_CACHE, LOCALAPPDATA, NODE_V8_COVERAGE, XDG_CACHE_HOME } = process.env;

if (!existsSync(entry)) {
  process.stderr.write('footbridge error: not built yet. Run npm run build in the repository.\n');
  process.exit(1);
}

// A server that is to be wrapped starts while we load.
if (process.argv.includes('wrap')) require(join(folder, 'head-start.cjs'));

if (FOOTBRIDGE_CACHE === 'off' || NODE_V8_COVERAGE) {
  require(entry);
} else if (nodeModule.enableCompileCache) {
  const code = codeFolder();
  // Somebody else may have created a folder that was missing.
  if (code !== undefined && makeFolders(code) && codeFolder() !== undefined) nodeModule.enableCompileCache(code);
  require(entry);
} else {
  requireCached();
}

// To whoever asked `doctor` in its own form, which src/cli/doctor has; a test holds the two together.
function refuseNode() {
  const message = `Node ${process.versions.node} is too old; Footbridge needs 20.19 or newer.`;
  const action =
    'Install Node 20.19 or newer, and make it the one that is found first on the PATH. Where a host starts Footbridge, its entry can name that Node by its full path.';
  const words = process.argv.slice(2);
  const own = words.indexOf('--') === -1 ? words : words.slice(0, words.indexOf('--'));
  if (own.indexOf('doctor') === -1) {
    // As src/sources/upstream/report.ts writes it.
    const token = process.env.FOOTBRIDGE_REPORT;
    if (token) process.stderr.write(`${JSON.stringify({ footbridge: token, event: 'node-too-old', version: process.versions.node })}\n`);
    process.stderr.write(`footbridge error: ${message} ${action}\n`);
  } else if (own.indexOf('--json') === -1) {
    process.stdout.write(
      `Footbridge\n  error   ${process.execPath}: ${message}  node-version\n          → ${action}\n\n1 error, 0 warnings\n`,
    );
  } else {
    const report = {
      version: require('../package.json').version,
      node: { version: process.versions.node, path: process.execPath },
      platform: `${process.platform} ${process.arch}`,
      protocols: [],
      cache: null,
      configuration: null,
      folders: [],
      skills: null,
      servers: [],
      packs: [],
      hosts: [],
      findings: [{ severity: 'error', code: 'node-version', where: process.execPath, message: message, action: action }],
      errors: 1,
      warnings: 0,
    };
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  }
  process.exit(1);
}

// Code is loaded from it, so it is one that only we could have changed; otherwise none.
function codeFolder() {
  const folder = cacheFolder();
  const code = join(folder, 'code');
  return isAbsolute(folder) && isPrivate(folder) && isPrivate(code) ? code : undefined;
}

// As src/private-folder.ts has it; here a missing folder counts, since it is created for us alone.
function isPrivate(folder) {
  try {
    const entry = lstatSync(folder, { throwIfNoEntry: false });
    if (entry === undefined) return true;
    const link = entry.isSymbolicLink();
    const stats = link ? statSync(folder) : entry;
    if (!stats.isDirectory()) return false;
    return isOurs(stats) && (!link || entry.uid === 0 || entry.uid === process.geteuid());
  } catch {
    return false;
  }
}

function isOurs(stats) {
  return !process.geteuid || (stats.uid === process.geteuid() && (stats.mode & 0o022) === 0);
}

// One by one: a recursive mkdir never returns below /proc.
function makeFolders(folder) {
  try {
    mkdirSync(folder, 0o700);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return true;
    if (error.code !== 'ENOENT' || dirname(folder) === folder || !makeFolders(dirname(folder))) return false;
  }
  try {
    mkdirSync(folder, 0o700);
    return true;
  } catch (error) {
    return error.code === 'EEXIST';
  }
}

// The folder that src/cli/folders.ts chooses; a test holds the two together.
function cacheFolder() {
  if (FOOTBRIDGE_CACHE) return FOOTBRIDGE_CACHE;
  if (process.platform === 'win32') return join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'footbridge', 'Cache');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'footbridge');
  return join(XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache'), 'footbridge');
}

// Node 20 has no compile cache of its own. Two files are worth one: the entry, and what a start over stdio loads besides.
function requireCached() {
  const code = codeFolder();
  const compile = nodeModule.prototype._compile;
  const flags = flagsOf(new Script('').createCachedData());
  const unsaved = [];
  nodeModule.prototype._compile = function (content, file, ...rest) {
    if (dirname(file) !== folder || !/^(?:footbridge|stdio-[\w-]+)\.cjs$/.test(basename(file)))
      return compile.call(this, content, file, ...rest);
    const { mtimeMs, size } = statSync(file);
    const cache = code === undefined ? undefined : join(code, `${process.version}-${process.arch}-${size}-${mtimeMs}`);
    const script = new Script(nodeModule.wrap(content), {
      filename: file,
      cachedData: cache === undefined ? undefined : readCache(cache),
    });
    if (cache !== undefined && script.cachedDataRejected !== false) unsaved.push({ cache, script });
    return script.runInThisContext().call(this.exports, this.exports, nodeModule.createRequire(file), this, file, dirname(file));
  };
  // Late, so that what the first answers compiled is in it; a host may end us without a chance to write.
  const timer = setTimeout(write, 1500).unref();
  process.once('exit', write);
  require(entry);
  function write() {
    clearTimeout(timer);
    process.off('exit', write);
    for (const { cache, script } of unsaved.splice(0)) writeCache(cache, script, flags);
  }
}

// The hash of the flags that code was compiled with, in the head that V8 gives it.
function flagsOf(data) {
  return data.subarray(12, 16);
}

function readCache(cache) {
  try {
    // Opening a pipe would never end. Somebody else may have created its folder since that was checked.
    const descriptor = openSync(cache, constants.O_RDONLY | (constants.O_NONBLOCK || 0) | (constants.O_NOFOLLOW || 0));
    try {
      const stats = fstatSync(descriptor);
      return stats.isFile() && isOurs(stats) ? readFileSync(descriptor) : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

function writeCache(cache, script, flags) {
  try {
    const data = script.createCachedData();
    // The next start has the flags of this one, before src/cli/collector.ts set some; V8 would accept the code for no others.
    flags.copy(flagsOf(data));
    // Somebody else may have created it since.
    if (!makeFolders(dirname(cache)) || !isPrivate(dirname(dirname(cache))) || !isPrivate(dirname(cache))) return;
    writeFileSync(`${cache}.${process.pid}`, data, { mode: 0o600 });
    renameSync(`${cache}.${process.pid}`, cache);
    // Of other versions and builds only the newest few are worth keeping.
    const age = (name) => statSync(join(dirname(cache), name)).mtimeMs;
    const files = readdirSync(dirname(cache)).sort((one, other) => age(other) - age(one));
    for (const name of files.slice(8)) rmSync(join(dirname(cache), name));
  } catch {
    // the next start compiles again
  }
}
