/** Whether each pack can be loaded and opened. */
import { dirname } from 'node:path';
import { reasonOf } from '../../errors.js';
import { silentLog } from '../../log.js';
import type { OpenedPacks } from '../../serve/packs/opened.js';
import type { Source } from '../../sources/source.js';
import type { Config, PackChoice } from '../config/index.js';
import type { Io } from '../io.js';
import { loadPacks } from '../packs.js';
import type { Cleanup } from './cleanup.js';
import { type Finding, finding, type Section, shown } from './finding.js';

export interface PackReport {
  readonly name: string;
  readonly loaded: boolean;
}

/** Each by itself, so that every broken one is reported. `sources` are those of the others, open until the cleanup. */
export async function checkPacks(
  { file, packs }: Config,
  named: readonly string[],
  cleanup: Cleanup,
  io: Io,
): Promise<{ readonly section: Section<readonly PackReport[]>; readonly sources: readonly Source[] }> {
  const folder = file === undefined ? '.' : dirname(file);
  const choices: readonly (PackChoice & { readonly folder: string })[] = [
    ...packs.map((pack) => ({ ...pack, folder })),
    ...named.map((name) => ({ name, folder: '.' })),
  ];
  const data: PackReport[] = [];
  const findings: Finding[] = [];
  const sources: Source[] = [];
  for (const choice of choices) {
    try {
      const opened: OpenedPacks = await loadPacks([choice], { isLocal: true, log: silentLog }, io);
      cleanup.add(opened.end);
      sources.push(...opened.sources);
      data.push({ name: choice.name, loaded: true });
    } catch (error) {
      data.push({ name: choice.name, loaded: false });
      const given = Object.values(choice.options ?? {}).filter((value) => typeof value === 'string');
      findings.push(finding('error', 'pack', choice.name, shown(error instanceof Error ? error.message : reasonOf(error), given)));
    }
  }
  return { section: { data, findings }, sources };
}
