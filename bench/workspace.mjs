// The temporary folders of one run: skills, caches, and an empty home for every server.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { writeSkills } from './skills.mjs';

/** Footbridge only trusts the timestamps of a file if they are older than two seconds. */
const SETTLED_MS = 2500;

/** Variables of the user that could slow a start or add skills. */
const NOT_INHERITED = [
  'NODE_EXTRA_CA_CERTS',
  'NODE_OPTIONS',
  'NODE_V8_COVERAGE',
  'NODE_COMPILE_CACHE',
  'XDG_CACHE_HOME',
  'FOOTBRIDGE_CACHE',
];

export function createWorkspace() {
  const root = mkdtempSync(join(tmpdir(), 'footbridge-bench-'));
  const made = new Map();
  let folders = 0;
  const folder = (name) => {
    const path = join(root, `${name}-${++folders}`);
    mkdirSync(path);
    return path;
  };
  const home = folder('home');
  const inherited = Object.entries(process.env).filter(([name]) => !NOT_INHERITED.includes(name));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));

  return {
    /** A new, empty folder. */
    folder,
    /** The working folder of servers. Like their home it is empty, so that the standard skill folders are missing. */
    workingFolder: folder('work'),
    // Without the keychain: its own is that of the user.
    environment: { FOOTBRIDGE_KEYCHAIN: 'off', ...Object.fromEntries(inherited), HOME: home, USERPROFILE: home },
    /** `count` skills, written once per run: `{ folder, names }`. Their timestamps are old enough to be trusted. */
    async skills(count, options) {
      const key = JSON.stringify([count, options]);
      if (!made.has(key)) {
        const path = folder(`skills-${count}`);
        made.set(key, { folder: path, names: writeSkills(path, count, options) });
        await setTimeout(SETTLED_MS);
      }
      return made.get(key);
    },
  };
}
