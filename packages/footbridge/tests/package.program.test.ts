/** The published library: its exports reach every file in `lib`, and every package that they import is a dependency. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const { dependencies, exports, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

async function packed(): Promise<ReadonlySet<string>> {
  const options = { cwd: root, shell: process.platform === 'win32', maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], options);
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  return new Set(files.map(({ path }) => path));
}

/** What a module or a declaration file imports. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\b(?:[^;'"]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
}

function besides(file: string, specifier: string): string {
  const target = join(dirname(file), specifier).replaceAll('\\', '/');
  return file.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
}

it('contains exactly the modules that its exports import, and depends on every package that they import', async () => {
  const files = await packed();
  const allowed = new Set(Object.keys({ ...dependencies, ...peerDependencies }));
  const entries: string[] = [exports['.'], exports['./pack'], exports['./state'], exports['./testing']].flatMap(
    (entry: Record<string, string>) => Object.values(entry),
  );
  const reached = new Set<string>();
  const missing: string[] = [];
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    if (!files.has(file) || !existsSync(join(root, file))) return void missing.push(file);
    for (const specifier of importsOf(file)) {
      if (specifier.startsWith('.')) visit(besides(file, specifier));
      else if (!isBuiltin(specifier) && !allowed.has(/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''))
        missing.push(`${file}: ${specifier}`);
    }
  };
  for (const entry of entries) visit(entry.replace('./', ''));
  expect(missing).toEqual([]);
  expect([...files].filter((file) => file.startsWith('lib/') && !reached.has(file))).toEqual([]);
}, 60_000);
