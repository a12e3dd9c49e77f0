/** Footbridge as a library. */
export { Catalog, type Change, type Content, type FolderChild } from './catalog/catalog.js';
export type { ShadowedSkill, Snapshot } from './catalog/snapshot.js';
export { type ErrorCode, FootbridgeError } from './errors.js';
export { createLog, type Log, type LogLevel } from './log.js';
export { createServer, type ServerOptions } from './serve/server.js';
export { type SkillFoldersOptions, skillFolders } from './sources/skills/index.js';
export type {
  Contribution,
  Notice,
  Skill,
  SkillDigest,
  SkillFileContent,
  SkillFileEntry,
  SkillLocation,
  SkillManifest,
  Source,
} from './sources/source.js';
