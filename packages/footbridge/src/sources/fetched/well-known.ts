/** The kind `well-known`: the skills that a site publishes under `/.well-known/agent-skills/`. */
import { echo } from '../../errors.js';
import { asText, isFields } from '../../json.js';
import { digestOf } from '../skills/digest.js';
import { STANDARD_NAME } from '../skills/rules.js';
import { SKILL_FILE } from '../source.js';
import { unpackArchive } from './archive/index.js';
import { type Downloaded, download, downloadAny, parseAnswer, safeUrlOf } from './download.js';
import { FetchError } from './fetch-error.js';
import type { FetchRequest, FetchSurroundings, SourceKind } from './kind.js';

/** The newest version first. */
const INDEXES = ['.well-known/agent-skills/index.json', '.well-known/skills/index.json'];
const SCHEMA = /^https:\/\/schemas\.agentskills\.io\/discovery\/0\.2\.\d+\/schema\.json$/;
const MAX_SKILLS = 10_000;

export const wellKnownKind: SourceKind = {
  name: 'well-known',
  form: 'the https URL of a site with /.well-known/agent-skills/index.json',
  parse(specification) {
    if (!/^https?:\/\//.test(specification)) return undefined;
    const site = safeUrlOf(specification);
    return {
      specification,
      title: site.hostname,
      async resolve(surroundings) {
        return resolvedIndex((await readIndex(site, surroundings)).bytes);
      },
      async fetch(request) {
        const index = await readIndex(site, request);
        for (const skill of skillsIn(index, site)) await stagePublished(skill, site, request);
        return resolvedIndex(index.bytes);
      },
    };
  },
};

function resolvedIndex(bytes: Uint8Array) {
  const digest = digestOf(bytes);
  return { pin: { index: digest }, version: digest.slice(0, 'sha256:'.length + 12) };
}

/** Below the path of the URL, else at the top of the site. */
async function readIndex(site: URL, { isPublicOnly, signal }: FetchSurroundings): Promise<Downloaded> {
  const named = site.pathname.endsWith('/index.json') ? [site.href] : [];
  const bases = [site.href.replace(/[?#].*$/s, '').replace(/\/?$/, '/'), `${site.origin}/`];
  const addresses = new Set([...named, ...bases.flatMap((base) => INDEXES.map((path) => base + path))]);
  for (const address of addresses) {
    const found = await downloadAny(address, { isPublicOnly, signal });
    if (found.status === 200 && isFields(parseAnswer(found.bytes))) return found;
  }
  throw new FetchError(
    `${site.host} publishes no skills: it has no /.well-known/agent-skills/index.json.`,
    'Name an archive (.skill, .zip, .tgz), or a git repository by a URL that ends with .git.',
  );
}

/** One skill of an index: a file or an archive, or in the first version of the format, several files. */
interface Published {
  readonly name: string;
  readonly artifacts: readonly { readonly path?: string; readonly url: string; readonly digest?: string }[];
}

function skillsIn({ bytes, url }: Downloaded, site: URL): readonly Published[] {
  const index = parseAnswer(bytes);
  const { $schema: schema, skills } = isFields(index) ? index : {};
  if (schema !== undefined && !(typeof schema === 'string' && SCHEMA.test(schema)))
    throw new FetchError(`The index of ${site.host} has a format that is not supported: '${echo(asText(schema))}'.`, 'Update footbridge.');
  if (!Array.isArray(skills) || skills.length > MAX_SKILLS) throw invalidIndex(site, 'it has no list of skills');
  return skills.map((entry: unknown) => {
    if (!isFields(entry)) throw invalidIndex(site, 'an entry is not an object');
    const { digest, files, name, type, url: address } = entry;
    if (typeof name !== 'string' || !STANDARD_NAME.test(name)) throw invalidIndex(site, 'a skill has an invalid name');
    if (Array.isArray(files) && !files.every((path: unknown) => typeof path === 'string' && path.isWellFormed()))
      throw invalidIndex(site, `'${name}' has a file without a valid path`);
    if (Array.isArray(files))
      return {
        name,
        artifacts: files.map((path) => ({ path: String(path), url: new URL(`${name}/${encodeURI(String(path))}`, url).href })),
      };
    if (typeof address !== 'string' || !URL.canParse(address, url.href) || typeof digest !== 'string')
      throw invalidIndex(site, `'${name}' has no valid "url" and "digest"`);
    if (type !== 'skill-md' && type !== 'archive') throw invalidIndex(site, `'${name}' has an unknown "type"`);
    const artifact = { url: new URL(address, url).href, digest };
    return { name, artifacts: [type === 'skill-md' ? { ...artifact, path: SKILL_FILE } : artifact] };
  });
}

async function stagePublished({ artifacts, name }: Published, site: URL, { isPublicOnly, signal, staging }: FetchRequest): Promise<void> {
  for (const { digest, path, url } of artifacts) {
    staging.count();
    const { bytes } = await download(url, { isPublicOnly, namedBy: site.href, signal });
    if (digest !== undefined && digestOf(bytes) !== digest.toLowerCase())
      throw new FetchError(
        `${echo(url)} does not have the digest in the index.`,
        'Nothing was added. Try again later, or report it to the site.',
      );
    if (path === undefined) await unpackArchive(bytes, { staging, rename: (inner) => `${name}/${inner}` });
    else await staging.put(`${name}/${path}`, bytes);
  }
}

function invalidIndex({ host }: URL, reason: string): FetchError {
  return new FetchError(`The index of ${host} is invalid: ${reason}.`, 'Report it to the site.');
}
