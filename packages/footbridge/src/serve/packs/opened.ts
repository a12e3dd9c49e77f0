/** Opens packs: their content as sources, and their routes. */
import { reasonOf } from '../../errors.js';
import { defineResources } from '../../sources/define/index.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Source } from '../../sources/source.js';
import type { Pack, PackDefinition, PackHost, PackRoute, RouteAddress } from './pack.js';

/** A pack with its validated options. */
export interface ChosenPack {
  readonly definition: PackDefinition;
  readonly options: unknown;
  /** The base of relative paths in its options. */
  readonly folder: string;
}

export interface OpenedPacks {
  /** They take precedence over all others. */
  readonly sources: readonly Source[];
  readonly routes: readonly PackRoute[];
  /** Sets the function behind `PackHost.reach`; earlier calls wait for it. */
  provideAddress(reach: () => Promise<RouteAddress>): void;
  /** Resolves when all packs are closed. Idempotent. */
  end(): Promise<void>;
}

/** Opens packs in order, since the first of a name wins. If one fails, closes the others and throws. */
export async function openPacks(chosen: readonly ChosenPack[], { isLocal, log }: Pick<PackHost, 'isLocal' | 'log'>): Promise<OpenedPacks> {
  let provideAddress: OpenedPacks['provideAddress'] = () => {};
  const reach = new Promise<() => Promise<RouteAddress>>((resolve) => {
    provideAddress = resolve;
  });
  const packs: { readonly name: string; readonly pack: Pack }[] = [];
  let ended: Promise<unknown> | undefined;
  const close = async ({ name, pack }: (typeof packs)[number]) => {
    try {
      await pack.close?.();
    } catch (cause) {
      log.error(`The pack '${name}' failed to close: ${reasonOf(cause)}`);
    }
  };
  const end = async () => {
    ended ??= Promise.all(packs.map(close));
    await ended;
  };
  const sources: Source[] = [];
  for (const { definition, folder, options } of chosen) {
    const { name } = definition;
    let updated: PackHost['updated'] = () => {};
    try {
      const host = { log, folder, isLocal, updated: (uri: string) => updated(uri), reach: async () => (await reach)() };
      const pack = await definition.open(options, host);
      packs.push({ name, pack });
      const { resources = [], skills = [], toolMeta, tools } = pack;
      const source = defineResources(resources, { name, tools, toolMeta });
      updated = source.updated;
      if (skills.length > 0) sources.push(skillFolders({ folders: skills, label: name, standardFolders: false, watch: false, log }));
      sources.push(source);
    } catch (cause) {
      await end();
      throw new Error(`The pack '${name}' failed to start: ${reasonOf(cause)}`, { cause });
    }
  }
  return { sources, routes: packs.flatMap(({ pack }) => pack.routes ?? []), provideAddress, end };
}
