// The hosts that `footbridge install` supports: their names, their files, and the entries.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { code, table } from './table.mjs';

const SYSTEMS = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };

/** The parts `hosts`, a table of files, and `entries`, what is written into them. */
export function hostParts() {
  const [hosts = [], ...others] = Object.keys(SYSTEMS).map(written);
  const person = (host) => [host, ...others.map((each) => each.find(({ name }) => name === host.name))].map((each) => each.person);
  const rows = hosts.map((host) => [
    host.title,
    code(host.name),
    host.project === undefined ? '' : code(host.project.file),
    bySystem(person(host)),
  ]);
  return {
    hosts: table(['Host', '`--host`', 'Project', 'All your projects (`--global`)'], rows),
    entries: entries(hosts),
  };
}

/** One file for all systems, or each with its own. */
function bySystem([linux, macos, windows]) {
  if (linux.file === macos.file && linux.file === windows.file) return code(linux.file);
  const name = windows.file.replace('~/AppData/Roaming', '%APPDATA%').replaceAll('/', '\\');
  const others = linux.file === macos.file ? '' : `; macOS ${code(macos.file)}`;
  return `${code(linux.file)}${others}; Windows ${code(name)}`;
}

/** Each distinct entry once, with its hosts; the most common first. */
function entries(hosts) {
  const groups = new Map();
  for (const { title, project, person } of hosts)
    for (const [text, who] of ways(title, project, person)) groups.set(text, [...(groups.get(text) ?? []), who]);
  return [...groups]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([block, who]) => `${who.join(', ')}:\n\n${block}`)
    .join('\n\n');
}

function ways(title, project, person) {
  const own = block(person);
  if (project === undefined || block(project) === own) return [[own, title]];
  return [
    [block(project), `${title} in the project`],
    [own, `${title} in all projects`],
  ];
}

function block({ file, text }) {
  const language = { toml: 'toml', yaml: 'yaml' }[file.split('.').at(-1)] ?? 'json';
  return `\`\`\`${language}\n${language === 'json' ? compact(text) : text.trim()}\n\`\`\``;
}

/** On one line, as people write it. */
function compact(text) {
  return JSON.stringify(JSON.parse(text), undefined, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/\[ /g, '[')
    .replace(/ \]/g, ']')
    .replaceAll('{ }', '{}');
}

/** The entries that `footbridge install` writes on a system. */
function written(system) {
  const home = mkdtempSync(join(tmpdir(), 'footbridge-docs-'));
  try {
    const script = join(import.meta.dirname, '..', 'docs-hosts.mjs');
    const env = { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], HOME: home, USERPROFILE: home };
    return JSON.parse(execFileSync(process.execPath, [script, system], { cwd: home, env, encoding: 'utf8' }));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
