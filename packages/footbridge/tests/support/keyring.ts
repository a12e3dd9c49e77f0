/** A real keychain for a test: gnome-keyring on a D-Bus of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { systemKeychain } from '../../src/cli/login/keychain.js';
import { describeFound, requirement } from './requirements.js';

export interface Keyring {
  /** The variables by which programs find it. */
  readonly environment: { readonly DBUS_SESSION_BUS_ADDRESS: string; readonly XDG_RUNTIME_DIR: string };
  /** Suspends it, like one that waits for a password, and resumes it. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
  /** Restarts it with its content; without the password it is locked. */
  restart(options?: { readonly unlocked?: boolean }): Promise<void>;
}

export function describeWithKeyring(name: string, body: (start: () => Promise<Keyring>) => void): void {
  const [daemon, bus] = [requirement('gnome-keyring-daemon'), requirement('dbus-run-session')];
  const missing = 'gnome-keyring-daemon or dbus-run-session is not on the PATH: apt install gnome-keyring dbus-daemon';
  describeFound(bus === undefined ? undefined : daemon, missing, name, (path) => body(() => startKeyring(bus ?? '', path)));
}

/** The daemon replaces the shell, which reports the address of the bus and its own id first. */
const SCRIPT = 'echo "$DBUS_SESSION_BUS_ADDRESS $$"; exec "$0" "$@"';

/** A bus that starts no services: no second keychain, and no password prompt. */
const BUS = `<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><policy context="default">
<allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy></busconfig>`;

async function startKeyring(bus: string, daemon: string): Promise<Keyring> {
  const home = mkdtempSync(join(tmpdir(), 'footbridge-keyring-'));
  writeFileSync(join(home, 'bus.conf'), BUS);
  let session: ChildProcess | undefined;
  let pid = 0;
  const environment = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: home };
  const signal = (name: NodeJS.Signals) => void process.kill(pid, name);
  const keyring: Keyring = {
    environment,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async stop() {
      if (session === undefined || session.exitCode !== null || session.signalCode !== null) return;
      const ended = once(session, 'exit');
      signal('SIGKILL');
      await ended;
    },
    async restart({ unlocked = true } = {}) {
      await keyring.stop();
      const args = ['--foreground', '--components=secrets', ...(unlocked ? ['--unlock'] : [])];
      session = spawn(bus, [`--config-file=${join(home, 'bus.conf')}`, '--', 'sh', '-c', SCRIPT, daemon, ...args], {
        env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home },
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      session.stdin?.end('password');
      const lines = createInterface({ input: session.stdout ?? process.stdin });
      const [address = '', id = ''] = String((await once(lines, 'line'))[0]).split(' ');
      environment.DBUS_SESSION_BUS_ADDRESS = address;
      pid = Number(id);
      const keychain = systemKeychain({ PATH: process.env['PATH'], ...environment });
      await expect.poll(() => keychain?.read('nothing').catch(() => 'not ready')).toBeUndefined();
    },
  };
  onTestFinished(async () => {
    await keyring.stop();
    rmSync(home, { recursive: true, force: true });
  });
  await keyring.restart();
  return keyring;
}
