// npm run audit: fails if npm knows a vulnerability of a package in a lock file. A registry that cannot be asked is no failure.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './ready.mjs';

let found = 0;
for (const folder of ['.', join('packages', 'footbridge', 'tests', 'npm')]) {
  const options = { cwd: join(root, folder), encoding: 'utf8', shell: process.platform === 'win32', maxBuffer: 2 ** 26, timeout: 120_000 };
  const { stdout } = spawnSync('npm', ['audit', '--json'], options);
  const { metadata, vulnerabilities = {} } = reportIn(stdout);
  if (metadata === undefined) console.log(`${folder}: not checked, because the registry does not answer npm audit`);
  else console.log(`${folder}: ${metadata.vulnerabilities.total} vulnerabilities`);
  for (const { name, severity, range } of Object.values(vulnerabilities)) console.log(`  ${severity}: ${name} ${range}`);
  found += metadata?.vulnerabilities.total ?? 0;
}
process.exitCode = found === 0 ? 0 : 1;

/** Without metadata where there is no report. */
function reportIn(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
