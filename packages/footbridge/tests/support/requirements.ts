/** Programs that some tests need. Without one, its tests are skipped with a message, or fail if all tests must run. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'vitest';

type Program = 'redis-server' | 'chromium' | 'zsh' | 'fish' | 'gnome-keyring-daemon' | 'dbus-run-session' | 'docker-registry';

const NAMES: Readonly<Record<Program, readonly string[]>> = {
  'redis-server': ['redis-server', 'valkey-server'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  zsh: ['zsh'],
  fish: ['fish'],
  'gnome-keyring-daemon': ['gnome-keyring-daemon'],
  'dbus-run-session': ['dbus-run-session'],
  'docker-registry': ['docker-registry'],
};
const INSTALLATION: Readonly<Record<Program, string>> = {
  'redis-server': 'apt install redis-server, or brew install redis',
  chromium: 'apt install chromium, or brew install --cask google-chrome',
  zsh: 'apt install zsh, or brew install zsh',
  fish: 'apt install fish, or brew install fish',
  'gnome-keyring-daemon': 'apt install gnome-keyring',
  'dbus-run-session': 'apt install dbus-daemon',
  'docker-registry': 'apt install docker-registry',
};

/** The path of a program; undefined if it is not on the PATH. */
export function requirement(program: Program): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe'] : [''];
  const candidates = NAMES[program].flatMap((name) => folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))));
  return candidates.find(isProgram);
}

/** Tests that need a program and get its path. Without it they are skipped, or fail if CI or FOOTBRIDGE_REQUIRE_ALL is set. */
export function describeWith(program: Program, name: string, body: (path: string) => void): void {
  describeFound(requirement(program), `${program} is not on the PATH: ${INSTALLATION[program]}`, name, body);
}

/** Like `describeWith`, for a program that is not searched on the PATH; `missing` says how to get it. */
export function describeFound(path: string | undefined, missing: string, name: string, body: (path: string) => void): void {
  if (path !== undefined) describe(name, () => body(path));
  else if (process.env['CI'] || process.env['FOOTBRIDGE_REQUIRE_ALL']) {
    it(name, () => {
      throw new Error(missing);
    });
  } else describe.skip(`${name} (${missing})`, () => body(''));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
