/** Packs at work: their content as sources, their routes, and where a person finds these. */
import { reasonOf } from '../../errors.js';
import { defineResources } from '../../sources/define/index.js';
import { skillFolders } from '../../sources/skills/index.js';
import type { Source } from '../../sources/source.js';
import type { Pack, PackDefinition, PackHost, PackRoute, Reach } from './pack.js';

/** A pack with what the configuration says to it, which its own schema has checked. */
export interface ChosenPack {
  readonly definition: PackDefinition;
  readonly options: unknown;
  /** Where relative names in its options begin. */
  readonly folder: string;
}

export interface OpenedPacks {
  /** To go before all others. */
  readonly sources: readonly Source[];
  readonly routes: readonly PackRoute[];
  /** Says where the routes are; who asked before waited. */
  reachBy(reach: () => Promise<Reach>): void;
  /** Resolves when all that packs started has ended. May be called twice. */
  end(): Promise<void>;
}

/** Opens packs one after the other, since the first of a name is served. Throws when one cannot work; the others are ended then. */
export async function openPacks(chosen: readonly ChosenPack[], { isLocal, log }: Pick<PackHost, 'isLocal' | 'log'>): Promise<OpenedPacks> {
  let found: (reach: () => Promise<Reach>) => void = () => {};
  const reach = new Promise<() => Promise<Reach>>((resolve) => {
    found = resolve;
  });
  const packs: { readonly name: string; readonly pack: Pack }[] = [];
  let ended: Promise<unknown> | undefined;
  const close = async ({ name, pack }: (typeof packs)[number]) => {
    try {
      await pack.close?.();
    } catch (cause) {
      log.error(`the pack ${name} did not end well: ${reasonOf(cause)}`);
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
      const pack = await definition.open(options, {
        log,
        folder,
        isLocal,
        updated: (uri) => updated(uri),
        reach: async () => (await reach)(),
      });
      packs.push({ name, pack });
      const { resources = [], skills = [], toolMeta, tools } = pack;
      const source = defineResources(resources, {
        name,
        tools,
        toolMeta,
      });
      updated = source.updated;
      if (skills.length > 0) sources.push(skillFolders({ folders: skills, label: name, standardFolders: false, watch: false, log }));
      sources.push(source);
    } catch (cause) {
      await end();
      throw new Error(`The pack '${name}' cannot start: ${reasonOf(cause)}`, { cause });
    }
  }
  return { sources, routes: packs.flatMap(({ pack }) => pack.routes ?? []), reachBy: found, end };
}
