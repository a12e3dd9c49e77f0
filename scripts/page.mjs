// What every page is made of: one script and one style sheet that need nothing else.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** The script that begins at `entry`, minified, and the modules that are in it. */
export async function pageScript(source, entry) {
  const build = await rolldown({
    input: join(source, entry),
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    treeshake: true,
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  if (output.length !== 1) throw new Error(`the page has to be one file, and is ${output.map((file) => file.fileName).join(', ')}`);
  return { code: output[0].code, modules: modulesIn(output) };
}

/** The style sheets one after another, without comments and needless blanks. */
export function pageStyle(paths) {
  return paths.map((path) => shortened(readFileSync(path, 'utf8'))).join('');
}

export function modulesIn(output) {
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

function shortened(css) {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .trim();
}
