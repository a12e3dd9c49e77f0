/** Third-party code that we ship: no install scripts, and a list of bundled packages with their licences. */
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from './support/documents.js';

interface Locked {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
/** Licences that ask for no more than to be shipped. */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
/** Our own packages, what a program brings itself, and what has a binary for each platform. */
const NOT_BUNDLED = /^(?:footbridge|vitest|@footbridge\/.+|@napi-rs\/keyring)(?:\/|$)/;

it('no installed dependency runs an install script', () => {
  const scripted = Object.entries(lock.packages).filter(([, { dev, hasInstallScript }]) => hasInstallScript === true && dev !== true);
  expect(scripted.map(([path]) => path)).toEqual([]);
});

/** The packages that the sources of a package import. */
function importedBy(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const names = files.flatMap((file) =>
    [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^(?:import|export) (?!type\b)[^;]*?from '([^'.][^']*)';|\bimport\('([^'.][^']*)'\)/gm,
      ),
    ].map(([, one, other]) => one ?? other ?? ''),
  );
  return [
    ...new Set(
      names.filter((name) => !isBuiltin(name) && !NOT_BUNDLED.test(name)).map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
    ),
  ];
}

describe.each(['footbridge', 'engage', 'quilt'])('%s', (name) => {
  const text = readFileSync(join(repository, 'packages', name, 'bundle', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  const listed = [...text.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \(([^)]+)\)$/gm)].map(([, title = '', version = '', licence = '']) => ({
    title,
    version,
    licence,
  }));

  it('lists every package that it bundles, in the version that is installed', () => {
    const titles = listed.map(({ title }) => title);
    expect(importedBy(join(repository, 'packages', name, 'src')).filter((title) => !titles.includes(title))).toEqual([]);
    const isInstalled = ({ title, version }: { title: string; version: string }) =>
      Object.entries(lock.packages).some(([path, { version: locked }]) => path.endsWith(`node_modules/${title}`) && locked === version);
    expect(listed.filter((each) => !isInstalled(each))).toEqual([]);
  });

  it('bundles only packages with a permissive licence', () => {
    expect(listed.length).toBeGreaterThan(1);
    expect(listed.filter(({ licence }) => !LICENCES.includes(licence))).toEqual([]);
  });
});
