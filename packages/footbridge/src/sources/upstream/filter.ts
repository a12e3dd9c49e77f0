/** What of a server is shown, and to whom: by patterns, of which those that exclude go before those that include. */
import { echo } from '../../errors.js';
import { type Fields, isFields } from '../../json.js';
import { matches } from '../../pattern.js';
import { formsOf } from '../../uri-forms.js';
import { schemeOf } from '../../uri-template.js';
import { requireAdmin } from '../require-admin.js';
import type { Caller } from '../resource.js';
import { ServerError } from '../server/channel.js';
import { traitsOf } from '../server/rules.js';
import type { Listing } from './listing.js';
import type { Patterns, ServerSettings } from './options.js';
import { folderOf, pathBelow, placeOf, type SkillFolder } from './skills/place.js';
import type { PublishedSkill } from './skills/published.js';

type Kind = keyof Patterns;

/** By its name, or a resource by its URI, however that is spelled: no spelling may be excluded, and all have to be included. */
export function isShown({ include, exclude }: ServerSettings, kind: Kind, name: string): boolean {
  const [excluded, included] = [exclude?.[kind], include?.[kind]];
  if (excluded === undefined && included === undefined) return true;
  const forms = kind === 'resources' ? formsOf(name) : [name];
  const fits = (patterns: readonly string[], form: string) =>
    patterns.some((pattern) => (kind === 'resources' ? formsOf(pattern) : [pattern]).some((each) => matches(each, form)));
  if (excluded !== undefined && forms.some((form) => fits(excluded, form))) return false;
  return included === undefined || forms.every((form) => fits(included, form));
}

/** Whether anybody may know of a resource; those of a skill that is not shown go with it. */
export function isShownResource(server: ServerSettings, skills: readonly PublishedSkill[], uri: string): boolean {
  return isShown(server, 'resources', uri) && !isOfHiddenSkill(server, skills, uri);
}

/** Throws when a URI is for administrators and the caller is none. */
export function checkAdmin({ resources = [] }: ServerSettings, uri: string, caller: Caller): void {
  if (resources.length > 0 && formsOf(uri).some((form) => traitsOf(resources, form).requiresAdmin)) requireAdmin(uri, caller);
}

/** Throws for what is hidden, by whatever way it is asked for, as a server does for what it does not have. */
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
  if (!isShownResource(server, skills, subject)) throw new ServerError(-32602, `Resource not found: ${echo(subject)}`, { uri: subject });
  checkAdmin(server, subject, caller);
}

/** Whether a URI lies in the folder of a skill that is not shown. */
function isOfHiddenSkill(server: ServerSettings, skills: readonly PublishedSkill[], uri: string): boolean {
  if (server.include?.skills === undefined && server.exclude?.skills === undefined) return false;
  const hidden = skills.flatMap((skill) => (isShown(server, 'skills', skill.name) ? [] : (folderOf(skill.uri) ?? [])));
  if (hidden.length === 0) return false;
  // Of what names no one place nobody knows whether it is there.
  const isBelow = (folder: SkillFolder, form: string) =>
    placeOf(form) === undefined ? schemeOf(form) === folder.scheme : pathBelow(folder, form) !== undefined;
  return formsOf(uri).some((form) => hidden.some((folder) => isBelow(folder, form)));
}

/**
 * Whether a URI that somebody reads may be a file of one of these skills by another spelling: those are read through their
 * skill alone, which verifies them.
 */
export function isUnverified(listing: Pick<Listing, 'skills' | 'resources'>, uri: string): boolean {
  const schemes = new Set(listing.skills.map((skill) => schemeOf(skill.uri)));
  if (schemes.size === 0 || !formsOf(uri).some((form) => schemes.has(schemeOf(form.trim())?.toLowerCase()))) return false;
  return !listing.resources.some((resource) => resource.uri === uri) || listing.skills.some((skill) => isIn(skill, uri));
}

function isIn(skill: PublishedSkill, uri: string): boolean {
  const folder = folderOf(skill.uri);
  return folder !== undefined && pathBelow(folder, uri) !== undefined;
}
