/** Which parts of a server are shown, and to whom. `exclude` takes precedence over `include`. */
import { echo } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { matches } from '../../pattern.js';
import { redactInput } from '../../redact.js';
import { decodeUri } from '../../uri-segment.js';
import { normalizeUri, schemeOf } from '../../uri-template.js';
import { type Caller, requireAdmin } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { traitsOf } from '../server/entries.js';
import type { UpstreamListing } from './listing.js';
import type { Patterns, ServerSettings } from './options.js';
import type { PublishedSkill } from './skills/published.js';
import { folderOf, pathBelow, type SkillFolder, uriPathOf } from './skills/uri-path.js';

type Kind = keyof Patterns;

/** By name or URI. No equivalent form of a URI may be excluded, and all have to be included. */
export function isShown({ include, exclude }: ServerSettings, kind: Kind, name: string): boolean {
  const excluded = exclude?.[kind];
  const included = include?.[kind];
  if (excluded === undefined && included === undefined) return true;
  const forms = kind === 'resources' ? formsOf(name) : [name];
  const fits = (patterns: readonly string[], form: string) =>
    patterns.some((pattern) => (kind === 'resources' ? formsOf(pattern) : [pattern]).some((each) => matches(each, form)));
  if (excluded !== undefined && forms.some((form) => fits(excluded, form))) return false;
  return included === undefined || forms.every((form) => fits(included, form));
}

/** Whether a resource is shown; the files of a hidden skill are not. */
export function isShownResource(server: ServerSettings, skills: readonly PublishedSkill[], uri: string): boolean {
  return resourceFilterOf(server, skills)(uri);
}

/** The same for many URIs. */
export function resourceFilterOf(server: ServerSettings, skills: readonly PublishedSkill[]): (uri: string) => boolean {
  let hidden: readonly SkillFolder[] | undefined;
  return (uri) => {
    if (!isShown(server, 'resources', uri)) return false;
    hidden ??= hiddenFolders(server, skills);
    return hidden.length === 0 || !isBelowSome(hidden, uri);
  };
}

/** Throws when a URI requires admin rights that the caller lacks. */
export function checkAdmin({ resources = [] }: ServerSettings, uri: string, caller: Caller): void {
  if (resources.length > 0 && formsOf(uri).some((form) => traitsOf(resources, form).requiresAdmin)) requireAdmin(uri, caller);
}

/** Throws for requests of hidden things, as a server does for unknown ones. */
export function checkRequest(
  server: ServerSettings,
  skills: readonly PublishedSkill[],
  method: string,
  params: Fields,
  caller: Caller,
): void {
  const { name, uri } = params;
  if (method === 'tools/call' && typeof name === 'string' && !isShown(server, 'tools', name))
    throw new ServerError(-32602, `Unknown tool: ${echo(name)}`, undefined);
  const completed = method === 'completion/complete' && isFields(params['ref']) ? params['ref'] : {};
  const prompt = method === 'prompts/get' ? name : completed['name'];
  if (typeof prompt === 'string' && !isShown(server, 'prompts', prompt))
    throw new ServerError(-32602, `Unknown prompt: ${echo(prompt)}`, undefined);
  const subject = method.startsWith('resources/') ? uri : completed['uri'];
  if (typeof subject !== 'string') return;
  if (!isShownResource(server, skills, subject))
    throw new ServerError(-32602, `Resource not found: ${echo(subject)}`, { uri: redactInput(subject) });
  checkAdmin(server, subject, caller);
}

/** The folders of the skills that are not shown. */
function hiddenFolders(server: ServerSettings, skills: readonly PublishedSkill[]): readonly SkillFolder[] {
  if (server.include?.skills === undefined && server.exclude?.skills === undefined) return [];
  return skills.flatMap((skill) => (isShown(server, 'skills', skill.name) ? [] : (folderOf(skill.uri) ?? [])));
}

function isBelowSome(folders: readonly SkillFolder[], uri: string): boolean {
  // A URI without a definite path might be in it.
  const isBelow = (folder: SkillFolder, form: string) =>
    uriPathOf(form) === undefined ? schemeOf(form) === folder.scheme : pathBelow(folder, form) !== undefined;
  return formsOf(uri).some((form) => folders.some((folder) => isBelow(folder, form)));
}

/** Throws where a URI that somebody reads may be a file of a skill by another spelling: these are read through their skill alone. */
export function checkVerified(listing: UpstreamListing | undefined, method: string, { uri }: Fields): void {
  if (method === 'resources/read' && typeof uri === 'string' && listing !== undefined && isUnverified(listing, uri))
    throw new ServerError(-32602, `Resource not found: ${echo(uri)}`, { uri: redactInput(uri) });
}

/** A skill verifies its files. */
function isUnverified(listing: Pick<UpstreamListing, 'skills' | 'resources'>, uri: string): boolean {
  const schemes = new Set(listing.skills.map((skill) => schemeOf(skill.uri)));
  if (schemes.size === 0 || !formsOf(uri).some((form) => schemes.has(schemeOf(form.trim())?.toLowerCase()))) return false;
  return !listing.resources.some((resource) => resource.uri === uri) || listing.skills.some((skill) => isIn(skill, uri));
}

function isIn(skill: PublishedSkill, uri: string): boolean {
  const folder = folderOf(skill.uri);
  return folder !== undefined && pathBelow(folder, uri) !== undefined;
}

/** As it is written, and as a server may come to read it: scheme and host in lower case, decoded, dot segments resolved. */
function formsOf(uri: string): readonly string[] {
  const written = [uri, normalizeUri(uri), ...resolved(uri)];
  return [...new Set([...written, ...written.flatMap(decoded)])];
}

/** Servers of the SDKs look at a URI through `URL`. */
function resolved(uri: string): readonly string[] {
  return URL.canParse(uri) ? [new URL(uri).href] : [];
}

function decoded(uri: string): readonly string[] {
  const text = decodeUri(uri);
  return text === undefined ? [] : [text, ...resolved(text)];
}
