/** What must reach a model in every host, and whether it did. */
import type { CatalogueRow, FolderRow, TextRow } from './measure.js';
import type { SyncRow } from './sync.js';

/** Everything measured with one host. */
export interface HostResult {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  /** Whether the model has to search before it is given any tool of a server. */
  readonly searchesFirst: boolean;
  readonly catalogue: readonly CatalogueRow[];
  readonly texts: readonly TextRow[];
  readonly folders: readonly FolderRow[];
  readonly sync?: SyncRow;
  /** Why the host could not be driven at all. */
  readonly problem?: string;
}

export interface Check {
  readonly title: string;
  readonly isPassed: boolean;
  /** What was found instead. */
  readonly detail: string;
}

/** Up to this many skills, each is described. */
const ALL_DESCRIBED = 50;
/** Up to this many skills, each is named. */
const ALL_NAMED = 200;
const LEAST_DESCRIBED = 40;
/** Of even more skills, at least this many are named. */
const LEAST_NAMED = 150;

/** The checks of a host, in the order of the measurements. */
export function checksOf(result: HostResult): Check[] {
  const { title, problem } = result;
  if (problem !== undefined) return [{ title: `${title} can be driven`, isPassed: false, detail: problem }];
  return [
    ...result.catalogue.map((row) => catalogueCheck(title, row)),
    ...result.texts.map((row) => textCheck(title, row)),
    ...result.folders.map((row) => folderCheck(title, row)),
    ...(result.sync === undefined ? [] : [syncCheck(title, result.sync)]),
  ];
}

/** How many skills must be named and described. */
export function required(skills: number): { readonly named: number; readonly described: number } {
  if (skills <= ALL_DESCRIBED) return { named: skills, described: skills };
  return skills <= ALL_NAMED ? { named: skills, described: LEAST_DESCRIBED } : { named: LEAST_NAMED, described: 0 };
}

function catalogueCheck(host: string, { setting, skills, named, described, isLoaded, problem }: CatalogueRow): Check {
  const least = required(skills);
  const found = `${named} named, ${described} described${isLoaded ? '' : ', none loaded'}`;
  return {
    title: `${host}${setting === '' ? '' : ` (${setting})`}: ${skills} skills`,
    isPassed: named >= least.named && described >= least.described && isLoaded,
    detail: withProblem(found, problem),
  };
}

function textCheck(host: string, { title, isWhole, calls, problem }: TextRow): Check {
  return { title: `${host}: text, ${title}`, isPassed: isWhole, detail: withProblem(`not whole after ${calls} calls`, problem) };
}

/** A skill that the host knows by itself is not mentioned again; one that it does not know is. Some hosts list the files of the project. */
function folderCheck(host: string, { folder, isNative, alone, together, problem }: FolderRow): Check {
  return {
    title: `${host}: skill in ${folder}`,
    isPassed: isNative ? alone > 0 && together === alone : together > alone,
    detail: withProblem(`mentioned ${alone} times without Footbridge, ${together} times with it`, problem),
  };
}

function syncCheck(host: string, { written, removed, together, problem }: SyncRow): Check {
  return {
    title: `${host}: skill of an upstream, synced`,
    isPassed: written > 0 && together === written && removed === 0 && problem === undefined,
    detail: withProblem(`mentioned ${written} times, ${together} times with Footbridge, ${removed} times after its removal`, problem),
  };
}

function withProblem(found: string, problem: string | undefined): string {
  return problem === undefined ? found : `${found}. ${problem.replace(/\s+/g, ' ')}`;
}
