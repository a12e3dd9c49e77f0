/** The path and value of our entry as the library `add-mcp` would write them, found by letting it write to a draft. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument, splitMark } from '../hosts/document.js';
import { mapPaths, valueAt } from '../hosts/entries.js';
import type { HostPlace } from '../hosts/index.js';
import { hostLibrary } from '../hosts/library.js';

type LibraryEntry =
  | {
      readonly ok: true;
      readonly path: readonly string[];
      readonly value: Readonly<Record<string, unknown>>;
      /** The complete draft, which may have lost comments. */
      readonly text: string;
    }
  | { readonly ok: false; readonly reason: string };

/** `text` must be valid. */
export async function libraryEntry(
  place: HostPlace,
  text: string,
  folder: string,
  { name, words }: { readonly name: string; readonly words: readonly string[] },
): Promise<LibraryEntry> {
  const { body, mark } = splitMark(text);
  const onFile = await draftOf(place, body, folder, { name, words });
  // The library does not support all of TOML and YAML. The entry does not depend on the rest of the file there.
  const draft = onFile.ok || place.host.format === 'json' ? onFile : await draftOf(place, '', folder, { name, words });
  if (!draft.ok) return draft;
  const document = await parseDocument(draft.text, place.host.format);
  const agent = (await hostLibrary()).agents[place.host.id];
  const isProject = place.scope === 'project';
  const paths = document.ok ? mapPaths(place.host.id, agent?.configKey ?? '', document.value, isProject) : [];
  for (const path of paths) {
    const value = document.ok ? valueAt(document.value, [...path, name]) : undefined;
    if (typeof value === 'object' && value !== null)
      return { ok: true, path: [...path, name], value: { ...value }, text: mark + draft.text };
  }
  return { ok: false, reason: 'It has no known place for a server.' };
}

type Draft = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

/** Points the library at a draft while it writes, which is synchronous. */
async function draftOf(
  { host, scope }: HostPlace,
  body: string,
  cwd: string,
  { name, words: [command = '', ...args] }: { readonly name: string; readonly words: readonly string[] },
): Promise<Draft> {
  const { agents, upsertServer } = await hostLibrary();
  const agent = agents[host.id];
  if (agent === undefined) return { ok: false, reason: 'Unknown host.' };
  const draftFolder = mkdtempSync(join(tmpdir(), 'footbridge-install-'));
  const draft = join(draftFolder, 'draft');
  const usual = agent.resolveConfigPath;
  try {
    writeFileSync(draft, body, { mode: 0o600 });
    agent.resolveConfigPath = () => draft;
    const { error, success } = upsertServer(host.id, name, { command, args }, { local: scope === 'project', cwd });
    return success
      ? { ok: true, text: readFileSync(draft, 'utf8') }
      : { ok: false, reason: error?.replaceAll(draft, 'The file') ?? 'It cannot be changed.' };
  } finally {
    if (usual === undefined) delete agent.resolveConfigPath;
    else agent.resolveConfigPath = usual;
    rmSync(draftFolder, { recursive: true, force: true });
  }
}
