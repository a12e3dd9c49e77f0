/** Whether what is served matches the lock. */
import type { Config } from '../config/index.js';
import type { Io } from '../io.js';
import { lockState } from '../lock/index.js';
import { countsOf } from '../lock/report.js';
import type { CommonOptions } from '../options.js';
import { type Finding, finding, type Section } from './finding.js';

export interface LockReport {
  readonly file: string;
  readonly state: 'none' | 'good' | 'drift' | 'unknown' | 'unreadable';
  /** Whether different skills are withheld. */
  readonly locked: boolean;
}

/** Undefined without a lock, unless the configuration requires one. Starts every server once more. */
export async function checkLock(options: CommonOptions, { locked = false }: Config, io: Io): Promise<Section<LockReport> | undefined> {
  const found = await lockState(options, io);
  const { file, state } = found;
  if (state === 'none' && !locked) return undefined;
  const severity = locked ? 'error' : 'warning';
  const effect = locked ? ' Every skill is withheld.' : '';
  const findings = (): readonly Finding[] => {
    if (found.state === 'none') return [finding(severity, 'lock-missing', file, `File not found.${effect}`)];
    if (found.state === 'unreadable')
      return [finding(severity, 'lock-unreadable', file, `${found.message}${effect}`, { action: found.action })];
    if (found.state === 'drift')
      return [finding(severity, 'lock-drift', file, `What is served differs from the lock: ${countsOf(found.drift)}.`)];
    if (found.state === 'unknown')
      return found.problems.map(({ action, message, place }) => finding('warning', 'lock-unknown', place, message, { action }));
    return [];
  };
  return { data: { file, state, locked }, findings: findings() };
}
