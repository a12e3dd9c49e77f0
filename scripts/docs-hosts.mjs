// Writes our entry for each host into an empty home, and prints the files as JSON. The argument is the platform, such as `darwin`.
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';

Object.defineProperty(process, 'platform', { value: process.argv[2] });
const { hostLibrary } = await import('../packages/footbridge/dist/cli/hosts/library.js');
const { agents, upsertServer } = await hostLibrary();

const home = homedir();
const cwd = join(home, 'project');
mkdirSync(cwd);

const hosts = Object.entries(agents).map(([name, agent]) => ({
  name,
  title: agent.displayName,
  person: write(name, false),
  ...(agent.localConfigPath === undefined ? {} : { project: write(name, true) }),
}));
console.log(JSON.stringify(hosts.sort((one, other) => one.title.localeCompare(other.title, 'en'))));

function write(name, local) {
  const { success, path, error } = upsertServer(name, 'footbridge', { command: 'npx', args: ['-y', 'footbridge'] }, { local, cwd });
  if (!success) throw new Error(`${name}: ${error}`);
  const file = relative(local ? cwd : home, path).replaceAll('\\', '/');
  return { file: local ? file : `~/${file}`, text: readFileSync(path, 'utf8') };
}
