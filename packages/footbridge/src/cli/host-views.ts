/** How a command shows the catalog to hosts. */
import { join } from 'node:path';
import { SkillUsage } from '../catalog/usage.js';
import { stateFolder } from '../state/folder.js';
import { HostViews } from '../surfaces/hosts/view.js';
import type { Config } from './config/index.js';
import type { Io } from './io.js';
import type { CommonOptions } from './serving-options.js';
import { syncRecords } from './sync/records-folder.js';

export interface ShownHosts {
  readonly hosts: HostViews;
  /** Resolves when the counts are stored. */
  end(): Promise<void>;
}

/** Throws for an unknown `--host-profile`. */
export function hostViews(
  { showing }: Config,
  { hostProfile, wrapped }: Pick<CommonOptions, 'hostProfile' | 'wrapped'>,
  io: Io,
): ShownHosts {
  const { always, budget, countUsage = true, profiles, showNative } = showing;
  // `wrap` shows a server as it is.
  const toolSearch = showing.toolSearch ?? (wrapped === undefined ? 'auto' : false);
  const usage = countUsage ? new SkillUsage(join(stateFolder(undefined, '', 'usage', io.env, io.home), 'skills.json')) : undefined;
  const hosts = new HostViews({
    profiles,
    budget,
    showNative,
    usage,
    toolSearch,
    always,
    pinned: hostProfile,
    workingFolder: io.cwd,
    home: io.home,
    syncRecords: syncRecords(io),
  });
  return { hosts, end: async () => usage?.save() };
}
