// Writes the generated parts of the documentation: tools, configuration, hosts and what `doctor` reports.
// With --check it writes nothing, and exits with 1 if a part is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationParts } from './docs/configuration.mjs';
import { hostParts } from './docs/hosts.mjs';
import { packageReadme } from './docs/readme.mjs';
import { toolParts } from './docs/tools.mjs';
import { troubleshootingParts } from './docs/troubleshooting.mjs';

const root = join(import.meta.dirname, '..');
const README = 'packages/footbridge/README.md';

const PAGES = {
  'docs/getting-started.md': hostParts,
  'docs/tools.md': toolParts,
  'docs/configuration-reference.md': configurationParts,
  'docs/troubleshooting.md': troubleshootingParts,
};

const stale = [];
for (const [name, partsOf] of Object.entries(PAGES)) {
  const text = textOf(name);
  keep(name, filled(name, text, await partsOf(text)));
}
keep(README, packageReadme(textOf('README.md')));
if (stale.length > 0 && process.argv.includes('--check')) {
  console.error(`Out of date: ${stale.join(', ')}. Run npm run build.`);
  process.exitCode = 1;
}

function textOf(name) {
  return readFileSync(join(root, name), 'utf8').replaceAll('\r\n', '\n');
}

function keep(name, text) {
  if (textOf(name) === text) return;
  stale.push(name);
  if (!process.argv.includes('--check')) writeFileSync(join(root, name), text);
}

/** A page with each of its marked places filled in. Every place needs a part, and every part a place. */
function filled(page, text, parts) {
  const left = new Set(Object.keys(parts));
  const result = text.replace(/(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)/gs, (_all, begin, part, end) => {
    if (!left.delete(part)) throw new Error(`${page}: part '${part}' is unknown or used twice.`);
    return `${begin}\n${parts[part].trim()}\n\n${end}`;
  });
  if (left.size > 0) throw new Error(`${page} has no place for: ${[...left].join(', ')}.`);
  return result;
}
