// Bundles a page into one script and one style sheet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** The script with the entry point `entry`, minified, and its modules. */
export async function pageScript(source, entry) {
  const build = await rolldown({
    input: join(source, entry),
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    treeshake: true,
  });
  const { output } = await build.generate({ format: 'esm', minify: true });
  await build.close();
  if (output.length !== 1) throw new Error(`The page must be one script, not ${output.map((file) => file.fileName).join(', ')}.`);
  return { code: output[0].code, modules: modulesIn(output) };
}

/** The style sheets in order, without comments and white space. */
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
