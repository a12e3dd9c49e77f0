/** The surface `skills-extension`: for hosts that speak the Skills extension, through the SDK. */

import { setImmediate } from 'node:timers/promises';
import { ProtocolError, ProtocolErrorCode, type Resource } from '@modelcontextprotocol/server';
import { DIRECTORY_MIME_TYPE, type Skill as SkillEntry, type SkillSource } from '@modelcontextprotocol/server/ext/skills';
import type { Catalog, FolderChild } from '../catalog/catalog.js';
import { unavailableSkill, unreadableAt } from '../catalog/not-found.js';
import { perSnapshot } from '../catalog/snapshot.js';
import { echo } from '../errors.js';
import { parseSkillUri, pathKey, skillUri } from '../sources/skill-uri.js';
import { SKILL_FILE, type Skill, type SkillManifest } from '../sources/source.js';
import { paginate, protocolPage } from './paging.js';
import { whenListed } from './passthrough.js';
import { orProtocolError, toResource } from './resources.js';

const PAGE = 100;

/** The catalog as the SDK's extension needs it. Skills that break the standard are left out. */
export function skillSource(catalog: Catalog): SkillSource {
  return {
    async list({ cursor }) {
      await known(catalog);
      const page = protocolPage(() => paginate(conformingSkills(catalog.snapshot), cursor, PAGE, (skill) => skillUri(skill)));
      const skills: SkillEntry[] = [];
      for (const skill of page.items) {
        // A skill that is being removed, or cannot be read, must not hide the others.
        const entry = await entryOf(skill).catch(() => undefined);
        if (entry !== undefined) skills.push(entry);
        await setImmediate();
      }
      return page.nextCursor === undefined ? { skills } : { skills, nextCursor: page.nextCursor };
    },
    async get(uri) {
      await known(catalog);
      const segments = parseSkillUri(uri);
      const isSkill = segments?.at(-1) === SKILL_FILE;
      const skill = isSkill ? catalog.snapshot.byPath.get(pathKey(segments.slice(0, -1))) : undefined;
      const entry = skill?.conforms === true ? await orProtocolError(uri, () => entryOf(skill)) : undefined;
      const unreadable = entry === undefined ? unreadableAt(catalog.snapshot, segments ?? []) : undefined;
      if (unreadable !== undefined) return orProtocolError(uri, () => Promise.reject(unavailableSkill(unreadable)));
      // The SDK repeats a URI that it does not find, with any secret in it.
      if (entry === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${echo(uri)}`);
      return entry;
    },
    async read(uri) {
      const { contents } = await orProtocolError(uri, () => catalog.read(uri));
      const [content] = contents;
      if (content === undefined) return undefined;
      const { mimeType = 'application/octet-stream' } = content;
      return 'text' in content ? { text: content.text, mimeType } : { bytes: Buffer.from(content.blob, 'base64'), mimeType };
    },
    async readDirectory(uri, { cursor }) {
      await known(catalog);
      const children = await orProtocolError(uri, () => catalog.list(uri));
      if (children === undefined) return undefined;
      const page = protocolPage(() => paginate(children, cursor, PAGE, (child) => child.uri));
      const resources = page.items.map(childResource);
      return page.nextCursor === undefined ? { resources } : { resources, nextCursor: page.nextCursor };
    },
    async listResources() {
      return catalog.snapshot.skills.map(toResource);
    },
  };
}

const conformingSkills = perSnapshot(({ skills }) => skills.filter((skill) => skill.conforms));

/** Resolves when every source has listed its skills. */
async function known(catalog: Catalog): Promise<void> {
  await catalog.settled();
  await whenListed(catalog.snapshot.upstreams);
}

async function entryOf(skill: Skill): Promise<SkillEntry | undefined> {
  const manifest = await skill.manifest();
  if (manifest === undefined) return undefined;
  const { name, description } = manifest.frontmatter;
  if (typeof name !== 'string' || typeof description !== 'string') return undefined;
  return { uri: skillUri(skill), frontmatter: { ...manifest.frontmatter, name, description }, resources: resourcesOf(skill, manifest) };
}

function resourcesOf(skill: Skill, { files }: SkillManifest): SkillEntry['resources'] {
  if (files === 'dynamic') return files;
  return files
    .map((file) => ({ uri: skillUri(skill, file.path), digest: file.digest, size: file.size }))
    .sort((one, other) => (one.uri < other.uri ? -1 : 1));
}

function childResource(child: FolderChild): Resource {
  if (child.kind === 'directory') return { uri: child.uri, name: child.name, mimeType: DIRECTORY_MIME_TYPE };
  const { uri, name, mimeType, size } = child;
  return { uri, name, mimeType, size };
}
