/** How the catalog is shown to a host: its profile, and what the operator decided. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { nearest } from '../../catalog/near.js';
import type { Snapshot } from '../../catalog/snapshot.js';
import type { SkillUsage } from '../../catalog/usage.js';
import { echo } from '../../errors.js';
import type { ToolSearch } from '../../sources/source.js';
import { HOST_PROFILES, type HostProfile, UNLIMITED, UNMEASURED } from './profile.js';

/** One object for each profile, so that what is made for it can be kept. */
export interface HostView {
  readonly profile: HostProfile;
  /** Characters of the catalogue, wherever it is placed. */
  readonly budget: number;
  /** Absolute paths of the skill folders that the host reads itself; empty where its files are not ours. */
  readonly nativeFolders: readonly string[];
  /** The folder with the records of `footbridge sync`, where there may be any. */
  readonly syncRecords?: string | undefined;
  /** Which skills are used most; undefined when that is not counted. */
  readonly usage: SkillUsage | undefined;
  /** Which upstream tools are found by a search instead of being listed. */
  readonly toolSearch: {
    readonly mode: ToolSearch;
    /** Patterns of tools that are always listed. */
    readonly always: readonly string[];
  };
}

export const CATALOGUE_BUDGET = 16_000;
/** The row of hosts that no other row is for. */
const UNKNOWN = 'unmeasured';

export interface HostOptions {
  /** Profiles to add, or fields of known ones to replace, by the start of `clientInfo.name`. */
  readonly profiles?: Readonly<Record<string, Partial<HostProfile>>> | undefined;
  /** The row that applies to every host, instead of the one that its name leads to. */
  readonly pinned?: string | undefined;
  /** Default: 16,000 characters. */
  readonly budget?: number | undefined;
  /** Whether skills that a host reads itself are in the catalogue all the same. Default false. */
  readonly showNative?: boolean | undefined;
  readonly usage?: SkillUsage | undefined;
  /** Whether upstream tools are found by a search instead of being listed, unless their server says otherwise. Default `auto`. */
  readonly toolSearch?: ToolSearch | undefined;
  /** Patterns of upstream tools that are listed all the same. */
  readonly always?: readonly string[] | undefined;
  readonly workingFolder?: string | undefined;
  readonly home?: string | undefined;
  /** The folder with the records of `footbridge sync`. */
  readonly syncRecords?: string | undefined;
}

/** Names of clients that are remembered; a caller can invent any number of them. */
const MAX_NAMES = 100;
const LONGEST_NAME = 200;

/** The views of one server. */
export class HostViews {
  readonly #options: HostOptions;
  readonly #rows: ReadonlyMap<string, HostProfile>;
  readonly #pinned: HostProfile | undefined;
  readonly #views = new Map<HostProfile, Map<boolean, HostView>>();
  /** By names that were looked up. */
  readonly #profiles = new Map<string, HostProfile>();

  constructor(options: HostOptions = {}) {
    const { pinned, profiles = {} } = options;
    this.#options = options;
    this.#rows = hostRows(profiles);
    this.#pinned = pinned === undefined ? undefined : this.#named(pinned);
  }

  /** By `clientInfo.name`; `local` when the host runs on this machine, in our working folder. */
  of(clientName: string | undefined, local: boolean): HostView {
    const profile = this.profileOf(clientName);
    let views = this.#views.get(profile);
    if (views === undefined) {
      views = new Map();
      this.#views.set(profile, views);
    }
    let view = views.get(local);
    if (view === undefined) {
      view = this.#view(profile, local);
      views.set(local, view);
    }
    return view;
  }

  profileOf(clientName: string | undefined): HostProfile {
    if (this.#pinned !== undefined) return this.#pinned;
    if (clientName === undefined) return this.#rows.get(UNKNOWN) ?? UNMEASURED;
    const known = this.#profiles.get(clientName);
    if (known !== undefined) return known;
    let found: readonly [prefix: string, profile: HostProfile] = ['', this.#rows.get(UNKNOWN) ?? UNMEASURED];
    for (const row of this.#rows) if (clientName.startsWith(row[0]) && row[0].length > found[0].length) found = row;
    if (this.#profiles.size < MAX_NAMES && clientName.length <= LONGEST_NAME) this.#profiles.set(clientName, found[1]);
    return found[1];
  }

  /** The names of all profiles: starts of `clientInfo.name`. */
  get names(): readonly string[] {
    return [...this.#rows.keys()].filter((name) => name !== UNKNOWN);
  }

  /** A profile by its name, or by the start of it. */
  #named(name: string): HostProfile {
    const rows = [...this.#rows];
    const [, profile] = rows.find(([prefix]) => prefix === name) ?? rows.find(([prefix]) => prefix.startsWith(name)) ?? [];
    if (profile !== undefined) return profile;
    const [near] = nearest(name, [...this.#rows.keys()]);
    const hint = near === undefined ? '' : ` Did you mean '${near}'?`;
    throw new Error(`Unknown host profile '${echo(name)}'.${hint} Known profiles: ${[...this.#rows.keys()].join(', ')}.`);
  }

  /** The views that hosts have been shown so far. */
  get shown(): readonly HostView[] {
    return [...this.#views.values()].flatMap((views) => [...views.values()]);
  }

  #view(profile: HostProfile, local: boolean): HostView {
    const {
      always = [],
      budget = CATALOGUE_BUDGET,
      home = homedir(),
      showNative = false,
      syncRecords,
      toolSearch: mode = 'auto',
      usage,
      workingFolder = process.cwd(),
    } = this.#options;
    const { skillFolders } = profile;
    const nativeFolders =
      local && !showNative
        ? [
            ...skillFolders.project.map((folder) => resolve(workingFolder, folder)),
            ...skillFolders.home.map((folder) => join(resolve(home), folder)),
          ]
        : [];
    return { profile, budget, nativeFolders: [...new Set(nativeFolders)], syncRecords, usage, toolSearch: { mode, always } };
  }
}

/** Every known profile by its prefix: those measured, and those of the configuration. */
export function hostRows(profiles: Readonly<Record<string, Partial<HostProfile>>>): ReadonlyMap<string, HostProfile> {
  const rows = new Map(Object.entries({ ...HOST_PROFILES, [UNKNOWN]: UNMEASURED }));
  for (const [prefix, fields] of Object.entries(profiles))
    rows.set(prefix, {
      ...(rows.get(prefix) ?? { ...UNMEASURED, host: prefix }),
      ...(fields.toolDescription === undefined ? {} : { isGuess: false }),
      ...fields,
    });
  return rows;
}

/** Where no host is asking: everything within the budget. */
export const UNLIMITED_VIEW: HostView = {
  profile: UNLIMITED,
  budget: CATALOGUE_BUDGET,
  nativeFolders: [],
  usage: undefined,
  toolSearch: { mode: false, always: [] },
};

/** A function of a snapshot and a view that is computed once for each pair. */
export function perView<T>(compute: (snapshot: Snapshot, view: HostView) => T): (snapshot: Snapshot, view: HostView) => T {
  const known = new WeakMap<Snapshot, Map<HostView, { readonly value: T }>>();
  return (snapshot, view) => {
    let views = known.get(snapshot);
    if (views === undefined) {
      views = new Map();
      known.set(snapshot, views);
    }
    let result = views.get(view);
    if (result === undefined) {
      result = { value: compute(snapshot, view) };
      views.set(view, result);
    }
    return result.value;
  };
}
