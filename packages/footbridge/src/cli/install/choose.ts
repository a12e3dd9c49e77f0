/** Lets a person choose among hosts, at a terminal. */
import { canAsk } from '../asking.js';
import { allHosts, type HostPlace, hostPlace } from '../hosts/index.js';
import type { Io } from '../io.js';
import type { CarryOutOptions } from './carry-out.js';
import { fileName } from './host-lines.js';
import type { TargetOptions } from './targets.js';

/**
 * The places that the person chooses; all of them without a choice or a terminal. If no host is installed, every known host is offered.
 * Undefined if the person cancels.
 */
export async function chosenPlaces(
  found: readonly HostPlace[],
  options: TargetOptions & CarryOutOptions,
  io: Io,
): Promise<readonly HostPlace[] | undefined> {
  const { dryRun, global: isGlobal, host, json, yes } = options;
  const isDecided = dryRun === true || yes === true || json === true || (host ?? []).length > 0 || found.length === 1;
  if (isDecided || !canAsk(io) || io.env['TERM'] === 'dumb') return found;
  const offered = found.length > 0 ? found : await everyPlace(isGlobal === true, io);
  const { isCancel, multiselect } = await import('@clack/prompts');
  const chosen = await multiselect({
    message: found.length > 0 ? 'Which hosts?' : 'No installed host was found. Which hosts do you use?',
    options: offered.map((place) => ({ value: place, label: place.host.title, hint: fileName(place, io) })),
    initialValues: [...found],
    maxItems: MAX_SHOWN,
    input: io.stdin,
    output: io.stderr,
  });
  io.printError('');
  return isCancel(chosen) ? undefined : chosen;
}

/** Longer lists scroll. */
const MAX_SHOWN = 12;

async function everyPlace(isGlobal: boolean, { cwd }: Io): Promise<readonly HostPlace[]> {
  const places = await Promise.all((await allHosts()).map((host) => hostPlace(host, isGlobal ? 'global' : 'project', cwd)));
  return places.filter((place) => place !== undefined);
}
