/** Asks at a terminal whether to trust the configuration of the working folder. */
import { ask, canAsk } from '../asking.js';
import { CONFIG_FILE, type Config, findConfig, type Untrusted } from '../config/index.js';
import { readConfig } from '../config/load.js';
import { ConfigError } from '../config/problems.js';
import { printNotice } from '../failure.js';
import { withoutLinks } from '../folders.js';
import type { Io } from '../io.js';
import { configDigest } from './check.js';
import { effectsOf } from './describe.js';
import { stateOf } from './notice.js';
import { readTrust, writeTrust } from './record.js';

/** Asks whether to trust the file of the working folder, if that is necessary and possible. */
export async function offerTrust(named: string | undefined, io: Io): Promise<void> {
  if (named !== undefined || !canAsk(io)) return;
  const config = await findConfig(undefined, io).catch((error: unknown) => {
    // The command itself reports it.
    if (error instanceof ConfigError) return undefined;
    throw error;
  });
  if (config?.untrusted !== undefined) await askFor(config.untrusted, io);
}

async function askFor(untrusted: Untrusted, io: Io): Promise<void> {
  const { config, text } = await readConfig(CONFIG_FILE, io);
  printNotice('warn', `${CONFIG_FILE} in this folder ${stateOf(untrusted)}.\nIf you trust it, it may:`, io);
  for (const line of effectsOf(text, untrusted)) io.printError(`  ${line}`);
  if (await ask('Trust it?', io)) await trustConfig(config, text, io);
}

/** What was reviewed is what is trusted, even if the file has changed since. */
export async function trustConfig(config: Config, text: string, io: Io): Promise<void> {
  const folder = withoutLinks(io.cwd);
  const { entries = [] } = readTrust(folder, io) ?? {};
  await writeTrust({ folder, entries, digest: await configDigest(config, text, io) }, io);
}
