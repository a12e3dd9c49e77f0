// npm run mcpb [-- FOLDER]: builds footbridge-VERSION.mcpb for Claude Desktop, which installs it with a double click.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import JSZip from 'jszip';
import { makeReady, root } from './ready.mjs';

const packageFolder = join(root, 'packages', 'footbridge');
/** Everything that the command needs: it is bundled with its dependencies. */
const CONTENTS = ['bin', 'bundle', 'footbridge.schema.json', 'LICENSE', 'package.json'];
/** The same bytes for the same contents. */
const DATE = new Date('2026-01-01T00:00:00Z');

makeReady();
const { description, keywords, license, version, engines } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
const archive = new JSZip();
add('manifest.json', `${JSON.stringify(manifest(), undefined, 2)}\n`);
add('server/start.cjs', readFileSync(join(root, 'scripts', 'mcpb-start.cjs')));
for (const path of CONTENTS.flatMap(filesBelow)) add(`server/${path}`, readFileSync(join(packageFolder, path)));
const folder = resolve(process.argv[2] ?? root);
mkdirSync(folder, { recursive: true });
const file = join(folder, `footbridge-${version}.mcpb`);
writeFileSync(file, await archive.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE', compressionOptions: { level: 9 } }));
process.stdout.write(`${file}\n`);

function manifest() {
  return {
    manifest_version: '0.3',
    name: 'footbridge',
    display_name: 'Footbridge',
    version,
    description,
    author: { name: 'The Footbridge authors' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: 'server/start.cjs',
      mcp_config: {
        command: 'node',
        args: [`${filledIn('__dirname')}/server/start.cjs`, filledIn('user_config.skills')],
      },
    },
    tools_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines.node } },
    user_config: {
      skills: {
        type: 'directory',
        title: 'Skill folder',
        description: 'A folder that contains skills. ~/.agents/skills and ~/.claude/skills are searched as well.',
        required: false,
        default: `${filledIn('HOME')}/.agents/skills`,
      },
    },
  };
}

/** What the host replaces by a value. */
function filledIn(name) {
  return `\${${name}}`;
}

function add(path, content) {
  archive.file(path, content, { date: DATE, createFolders: false });
}

/** Paths in the package, with slashes. */
function filesBelow(path) {
  if (!statSync(join(packageFolder, path)).isDirectory()) return [path];
  return readdirSync(join(packageFolder, path))
    .sort()
    .flatMap((name) => filesBelow(`${path}/${name}`));
}
