/** `skill://` URIs: the folders of a skill, its name, and a file in it. */
import { decodeSegment, encodeSegment } from '../uri-segment.js';
import { LONGEST_URI } from '../uri-template.js';
import { SKILL_FILE, type Skill } from './source.js';

export const SKILL_SCHEME = 'skill://';

/** The URI of a file of a skill, by default of its instructions. */
export function skillUri(skill: Pick<Skill, 'group' | 'name'>, file = SKILL_FILE): string {
  return `${skillRoot(skill)}/${file.split('/').map(encodeSegment).join('/')}`;
}

/** The URI of the skill's folder, without a slash at the end. */
export function skillRoot(skill: Pick<Skill, 'group' | 'name'>): string {
  return SKILL_SCHEME + [...skill.group, skill.name].map(encodeSegment).join('/');
}

/** The name with the folders it lies in: `office:pdf`. */
export function qualifiedName(skill: Pick<Skill, 'group' | 'name'>): string {
  return [...skill.group, skill.name].join(':');
}

/** The key of the place that a skill claims: folders and name, ignoring case. */
export function pathKey(segments: readonly string[]): string {
  return segments.map(nameKey).join('/');
}

/** Names are compared without regard to case, Unicode composition, or surrounding blanks. Absurdly long ones are compared literally. */
export function nameKey(name: string): string {
  if (name.length > LONGEST_URI) return name;
  return (/[^ -~]/.test(name) ? name.normalize('NFC') : name).toLowerCase().trim();
}

/** The decoded segments of a `skill://` URI; undefined unless each can stand for one name. */
export function parseSkillUri(uri: string): readonly string[] | undefined {
  if (!isSkillUri(uri) || uri.length > LONGEST_URI) return undefined;
  const path = uri.slice(SKILL_SCHEME.length).replace(/\/$/, '');
  if (/[?#\\\p{Cc}]/u.test(path)) return undefined;
  const segments = path.split('/').map(decodeSegment);
  return segments.every((segment) => segment !== undefined) ? segments : undefined;
}

/** Whether the scheme is `skill`, in any case. */
export function isSkillUri(uri: string): boolean {
  return uri.slice(0, SKILL_SCHEME.length).toLowerCase() === SKILL_SCHEME;
}
