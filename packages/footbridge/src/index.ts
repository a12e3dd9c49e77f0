/** Footbridge as a library. */
export { Catalog, type CatalogOptions, type FolderChild } from './catalog/catalog.js';
export type { CatalogChange, ListDifference } from './catalog/change.js';
export type { Count, Counters } from './catalog/counters.js';
export type { Reading } from './catalog/reading.js';
export type { ShadowedSkill } from './catalog/skill-set-steps.js';
export type { Snapshot } from './catalog/snapshot.js';
export { type ErrorCode, FootbridgeError } from './errors.js';
export type { ReadLimits } from './limits.js';
export { createLog, type Log, type LogLevel } from './log.js';
export { type AnyServer, countersOf, type FootbridgeOptions, footbridge } from './serve/footbridge.js';
export type { Identity } from './serve/identity.js';
export { createServer, type ServerOptions } from './serve/server.js';
export { type AnyDefinition, defineResource, type ResourceDefinition, type Variable } from './sources/define/definition.js';
export { type DefinedSource, defineResources } from './sources/define/index.js';
export type {
  Caller,
  ReadContext,
  ResourceContents,
  ResourceReading,
  ResourceTraits,
  StaticResource,
  TemplateResource,
} from './sources/resource.js';
export type { ResourceRule } from './sources/server/entries.js';
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
export { type UpstreamSource, type UpstreamsOptions, upstreams } from './sources/upstream/index.js';
export type { CommandServer, Patterns, RemoteServer, ServerObject, ServerSettings, UpstreamServer } from './sources/upstream/options.js';
export type { ToolChoice } from './surfaces/tools/index.js';
