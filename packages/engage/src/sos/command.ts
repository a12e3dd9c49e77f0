/** How sos is started here: where it is, and whether sudo goes before it. */

import { Failure } from '../failure.js';
import { elevated, isRoot, locate } from './elevated.js';
import { refuseUploads } from './uploads.js';

/** A program and what comes before the arguments of sos. */
export interface SosCommand {
  readonly program: string;
  readonly before: readonly string[];
}

/**
 * Finds sos and makes sure that it may run. Whether sudo lets us is tried with sos's own help: `sudo -l` would say yes
 * where a password is needed as soon as any other command needs none.
 */
export async function findSos(): Promise<SosCommand> {
  const sos = await locate('sos');
  if (sos === undefined) {
    throw new Failure(
      'dependency_missing',
      'sos is not installed on this machine.',
      'Ask the person to install it: `dnf install sos`, on Debian and Ubuntu `apt install sosreport`.',
    );
  }
  await refuseUploads();
  if (isRoot()) return { program: sos, before: [] };
  const sudo = await locate('sudo');
  if (sudo === undefined || !(await elevated('sos', ['report', '--batch', '--help']))) throw privilegeRequired();
  return { program: sudo, before: ['-n', '--', sos] };
}

export function privilegeRequired(): Failure {
  return new Failure(
    'privilege_required',
    'sos needs root, and this server may not become root without a password.',
    'Ask the person to allow `sudo -n sos report` for the user of this server, or to run the server as root.',
  );
}
