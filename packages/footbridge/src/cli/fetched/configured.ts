/** The sources in `footbridge.json`, and which of them a person means. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../../catalog/near.js';
import { echo } from '../../errors.js';
import { FetchError } from '../../sources/fetched/fetch-error.js';
import type { LockedSource } from '../../sources/fetched/locked-sources.js';
import { canAsk } from '../asking.js';
import type { ConfiguredSource } from '../config/index.js';
import type { Io } from '../io.js';
import { stateOf, trustAction } from '../trust/notice.js';
import type { SourcesPlace } from './place.js';

/** None if there is no file. Throws a `ConfigError` if it is invalid. */
export async function configuredAt({ file }: SourcesPlace, io: Io): Promise<readonly ConfiguredSource[]> {
  if (!existsSync(resolve(io.cwd, file))) return [];
  const { readConfig } = await import('../config/load.js');
  return (await readConfig(file, io)).config.sources;
}

/** As `configuredAt`, to fetch them. Throws a `FetchError` for sources that lead out of the folder of a file that is not trusted. */
export async function fetchableAt({ file, isDiscovered }: SourcesPlace, io: Io): Promise<readonly ConfiguredSource[]> {
  if (!existsSync(resolve(io.cwd, file))) return [];
  const { loadConfig, readConfig } = await import('../config/load.js');
  const { sources, untrusted } = await loadConfig(file, io, isDiscovered);
  const { config } = await readConfig(file, io);
  const held = config.sources.find(({ source }) => untrusted?.sources.includes(source));
  if (untrusted !== undefined && held !== undefined)
    throw new FetchError(
      `footbridge.json ${stateOf(untrusted)}, and its source '${echo(held.source)}' leads out of its folder on this machine.`,
      trustAction(io),
    );
  return sources;
}

/** Throws a `FetchError` if the file has changed since it was trusted, or never was, and no user reviews what is fetched. */
export async function requireReview({ file, isDiscovered }: SourcesPlace, io: Io): Promise<void> {
  if (!isDiscovered || canAsk(io) || !existsSync(resolve(io.cwd, file))) return;
  const { loadConfig } = await import('../config/load.js');
  const { untrusted } = await loadConfig(file, io, isDiscovered);
  if (untrusted !== undefined)
    throw new FetchError(`footbridge.json ${stateOf(untrusted)}, so its sources are not updated automatically.`, trustAction(io));
}

/** By its specification, with or without a version, or by the name of a skill. Throws a `FetchError` if there is no single one. */
export function findSource(name: string, configured: readonly ConfiguredSource[], locked: readonly LockedSource[]): ConfiguredSource {
  const own = configured.filter(({ source }) => source === name);
  const base = configured.filter(({ source }) => withoutVersion(source) === name);
  const bySkill = configured.filter(({ source }) =>
    locked.some((each) => each.source === source && each.skills.some((skill) => skill.name === name)),
  );
  const found = [own, base, bySkill].find((each) => each.length > 0) ?? [];
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const names = [...configured.map(({ source }) => source), ...locked.flatMap(({ skills }) => skills.map((skill) => skill.name))];
  if (first !== undefined)
    throw new FetchError(`'${echo(name)}' is in several sources: ${found.map(({ source }) => source).join(', ')}.`, 'Name one of them.');
  const near = nearest(name, names);
  throw new FetchError(
    `The source '${echo(name)}' was not found.`,
    near.length === 0 ? 'See all with: footbridge list --long' : `Did you mean ${near.join(', ')}?`,
  );
}

function withoutVersion(source: string): string {
  const [address = ''] = source.split('#');
  const at = address.lastIndexOf('@');
  // An earlier `@` belongs to an npm scope or an ssh user.
  return at > address.lastIndexOf('/') && !/[/:]$/.test(address.slice(0, at)) && !address.slice(at).includes(':')
    ? address.slice(0, at)
    : address;
}
