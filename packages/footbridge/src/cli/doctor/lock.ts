/** The lock: whether what is served is what was locked. */
import type { Config } from '../config/index.js';
import type { Io } from '../io.js';
import { lockState } from '../lock/index.js';
import { countsOf } from '../lock/report.js';
import type { CommonOptions } from '../options.js';
import { type Finding, finding, type Section } from './finding.js';

export interface LockReport {
  readonly file: string;
  readonly state: 'none' | 'good' | 'drift' | 'unknown' | 'unreadable';
  /** Whether skills that differ are withheld. */
  readonly locked: boolean;
}

/** Undefined where there is no lock, and none is asked for. Starts every server once more. */
export async function checkLock(options: CommonOptions, { locked = false }: Config, io: Io): Promise<Section<LockReport> | undefined> {
  const found = await lockState(options, io);
  const { file, state } = found;
  if (state === 'none' && !locked) return undefined;
  const severity = locked ? 'error' : 'warning';
  const effect = locked ? ' Every skill is withheld.' : '';
  const say = (): readonly Finding[] => {
    if (found.state === 'none') return [finding(severity, 'lock-missing', file, `There is no such file.${effect}`)];
    if (found.state === 'unreadable')
      return [finding(severity, 'lock-unreadable', file, `${found.message}${effect}`, { action: found.action })];
    if (found.state === 'drift')
      return [finding(severity, 'lock-drift', file, `What is served is not what was locked: ${countsOf(found.drift)}.`)];
    if (found.state === 'unknown')
      return found.problems.map(({ action, message, place }) => finding('warning', 'lock-unknown', place, message, { action }));
    return [];
  };
  return { data: { file, state, locked }, findings: say() };
}
