/** Finds and loads packs by name: from the folder of the configuration, the working folder, or next to Footbridge. */
import { createRequire, isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { echo, systemCode } from '../errors.js';
import { isFields } from '../json.js';
import { type ChosenPack, type OpenedPacks, openPacks } from '../serve/packs/opened.js';
import type { PackDefinition, PackHost } from '../serve/packs/pack.js';
import type { PackChoice } from './config/index.js';
import type { Surroundings } from './io.js';

interface PlacedPack extends PackChoice {
  readonly folder: string;
}

/** Each pack once. Throws an error that names the pack. */
export async function loadPacks(
  choices: readonly PlacedPack[],
  host: Pick<PackHost, 'isLocal' | 'log'>,
  { cwd, home }: Pick<Surroundings, 'cwd' | 'home'>,
): Promise<OpenedPacks> {
  const chosen = new Map<string, ChosenPack>();
  for (const each of choices) {
    const choice = { ...each, folder: resolve(cwd, each.folder) };
    const url = packUrl(choice, home);
    if (!chosen.has(url)) chosen.set(url, await load(url, choice));
  }
  return openPacks([...chosen.values()], host);
}

async function load(url: string, { folder, name, options = {} }: PlacedPack): Promise<ChosenPack> {
  const module: unknown = await import(url).catch(async (cause: unknown) => {
    const { placeOfError } = await import('./pack-errors.js');
    const place = await placeOfError(cause, url, folder);
    throw new Error(`Pack '${name}' cannot be loaded: ${place}${cause instanceof Error ? cause.message : String(cause)}`);
  });
  const definition = isFields(module) ? module['default'] : undefined;
  if (!isPack(definition)) throw new Error(`'${name}' is not a pack: its default export must come from definePack().`);
  return { definition, options: await checked(name, definition, options), folder };
}

function isPack(value: unknown): value is PackDefinition {
  return isFields(value) && typeof value['name'] === 'string' && typeof value['open'] === 'function';
}

async function checked(name: string, { options: schema }: PackDefinition, given: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (schema === undefined) {
    const [unknown] = Object.keys(given);
    if (unknown !== undefined) throw new Error(`Pack '${name}' takes no options. Remove '${unknown}'.`);
    return given;
  }
  const result = await schema['~standard'].validate(given);
  if (result.issues === undefined) return result.value;
  const problems = result.issues.map(({ message, path = [] }) => {
    const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return place === '' ? message : `${place}: ${message}`;
  });
  throw new Error(`Invalid options of pack '${name}': ${problems.join('; ')}`);
}

const PACKAGE = /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*(?:\/[\w.-]+)*$/i;

/** Throws if it is not installed. */
export function packUrl({ folder, name }: PlacedPack, home: string): string {
  // Hosts do not expand `~`.
  if (name.startsWith('~/')) return pathToFileURL(join(home, name.slice(2))).href;
  if (/^\.{0,2}[/\\]/.test(name)) return pathToFileURL(resolve(folder, name)).href;
  if (!PACKAGE.test(name) || isBuiltin(name))
    throw new Error(`Invalid pack name '${echo(name)}'. Use the name of a package, or the path of a module such as ./my-pack.mjs.`);
  for (const from of [join(folder, 'footbridge.json'), import.meta.url]) {
    try {
      return pathToFileURL(createRequire(from).resolve(name)).href;
    } catch (cause) {
      if (systemCode(cause) === 'ERR_PACKAGE_PATH_NOT_EXPORTED')
        throw new Error(`'${name}' is installed, but cannot be loaded: the exports of its package.json need a "default".`);
      // Try the next place.
    }
  }
  throw new Error(`Pack '${name}' is not installed. Install it next to footbridge: npm install ${name}`);
}
