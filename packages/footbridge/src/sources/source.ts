/** Sources: the interface between where content comes from and the catalog. */
import type { CallToolResult, Prompt, Tool } from '@modelcontextprotocol/server';
import type { Fields } from '../json.js';
import type { Forwarded, Upstream } from './forwarding.js';
import type { ReadContext, ResourceReading, StaticResource, TemplateResource } from './resource.js';
import type { ToolContext } from './tool-context.js';

/** The file that makes a folder a skill, and holds its instructions. */
export const SKILL_FILE = 'SKILL.md';

/** Where a skill belongs: to the project in the working folder, or to the person or machine. */
export type SkillLocation = 'project' | 'global';

/** The bytes of one file of a skill, and their type. */
export interface SkillFileContent {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  /** Whether the file still has these bytes, if that can be found out without reading it. */
  isCurrent?(): boolean;
}

/** One child of a folder inside a skill. */
export interface SkillFileEntry {
  /** Path below the skill, `/`-separated. */
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** Bytes; present for files. */
  readonly size?: number;
  /** Absent for an unknown extension. */
  readonly mimeType?: string;
}

/** A file with the digest of its bytes, as the Skills extension publishes it. */
export interface SkillDigest {
  readonly path: string;
  readonly size: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
}

/** A skill as the Skills extension publishes it: its parsed frontmatter, and every file. */
export interface SkillManifest {
  readonly frontmatter: Readonly<Record<string, unknown>>;
  /** `dynamic` where digests are unknown, as with a server that publishes none. */
  readonly files: readonly SkillDigest[] | 'dynamic';
  /** Paths of files that are refused, because they are likely to contain secrets. */
  readonly withheld?: readonly string[];
}

/** Where a skill was fetched from. */
export interface Provenance {
  /** As in `footbridge.json`, such as `github:owner/repo@v1`. */
  readonly source: string;
  /** For people, such as `v1 (3f9c2ab012)`. */
  readonly version: string;
  /** Who signed it; absent if it is not signed. */
  readonly signer?: string;
}

/** One skill: its metadata in memory, its files on demand. */
export interface Skill {
  /** As in the frontmatter, with white space collapsed. */
  readonly name: string;
  readonly description: string;
  /** The folders between the source's root and the skill, outermost first. */
  readonly group: readonly string[];
  readonly location: SkillLocation;
  /** Where it comes from, for people: a folder as configured, or an upstream's name. */
  readonly origin: string;
  /** Present if it was fetched by `footbridge add`. */
  readonly provenance?: Provenance | undefined;
  /** Absolute path of the skill's folder; absent where it is not on this machine. */
  readonly directory?: string;
  /** Equal for two skills exactly when they are the same skill reached twice. */
  readonly identity: string;
  /** Differs whenever `SKILL.md` does. */
  readonly version: string;
  /** When `SKILL.md` was last changed or fetched, in milliseconds; absent where that is unknown. */
  readonly modified?: number | undefined;
  /** Bytes of `SKILL.md`; undefined where that is unknown before reading it. */
  readonly size: number | undefined;
  /** Whether it fulfils every MUST of the Agent Skills standard, which the Skills extension requires. */
  readonly conforms: boolean;
  /** Whether its frontmatter had to be repaired before it could be read, which other programs may not do. */
  readonly isRepaired?: boolean | undefined;
  /**
   * A file's content; undefined when the skill has no such file. `path` is decoded and `/`-separated. `context` is the
   * request that it is read for, where there is one.
   */
  read(path: string, context?: ReadContext): Promise<SkillFileContent | undefined>;
  /**
   * The first bytes of `SKILL.md`, for the search index; undefined where that takes more than a moment, such as a request to
   * a server. A skill without it is found by its name and description.
   */
  opening?(bytes: number): Promise<Uint8Array | undefined>;
  /** Direct children of a folder (`''` is the skill itself); undefined when the folder does not exist. */
  list(folder: string): Promise<readonly SkillFileEntry[] | undefined>;
  /** Frontmatter and digests; undefined when the skill is over the limits or was removed. */
  manifest(): Promise<SkillManifest | undefined>;
}

/** The location of a skill that exists but cannot be read at the moment. */
export type UnreadableSkill = Pick<Skill, 'group' | 'name'>;

/** Whether tools are found by a search instead of being listed; `auto` where there are many and the host does not search itself. */
export type ToolSearch = 'auto' | boolean;

/** A tool of an upstream: its calls are forwarded unchanged. */
export interface UpstreamTool extends Forwarded {
  /** As `tools/list` shows it. May be parsed on first access, so the parts that are needed of every tool are separate. */
  readonly entry: Tool;
  /** The name of its entry: see `nameOfTool`. */
  readonly name?: string | undefined;
  /** The `contentKey` of its definition, if that is known without parsing it. */
  readonly definitionKey?: number | undefined;
  /** Whether it can only be called as a task, as in its entry. */
  readonly needsTask?: boolean | undefined;
  /**
   * Set if its name is like one of ours. It is then contributed under its own name, for the case that only its upstream has
   * content, and with a prefix, for the case that our tool of that name is listed too.
   */
  readonly shownWhen?: 'alone' | 'beside' | undefined;
  /** The setting of its server; false if the tool is always listed. Absent: the setting for all servers. */
  readonly toolSearch?: ToolSearch | undefined;
}

/** A tool that is defined in this process. */
export interface DefinedTool {
  /** As `tools/list` shows it. */
  readonly entry: Tool;
  /** Never throws for a mistake of the caller, which is a result with `isError`. */
  call(input: unknown, context: ToolContext): Promise<CallToolResult>;
}

export type ContributedTool = UpstreamTool | DefinedTool;

/** The name that hosts use. */
export function nameOfTool(tool: ContributedTool): string {
  return (isUpstreamTool(tool) ? tool.name : undefined) ?? tool.entry.name;
}

export function isUpstreamTool(tool: ContributedTool): tool is UpstreamTool {
  return 'upstream' in tool;
}

/** A prompt of an upstream. */
export interface UpstreamPrompt extends Forwarded {
  /** As `prompts/list` shows it. */
  readonly entry: Prompt;
}

/** A problem that a source found: why something was skipped, or what looks wrong. */
export interface Notice {
  /** `error`: skipped, or breaks a MUST of the standard. `warning`: served, but worth checking. */
  readonly severity: 'error' | 'warning';
  /** Stable name of the rule, for machines. */
  readonly rule: string;
  readonly file: string;
  readonly line?: number;
  /** From 1, in UTF-16 code units. */
  readonly column?: number;
  readonly message: string;
  /** What to do about it. */
  readonly action: string;
  /** True when the skill or folder is not served because of this. */
  readonly skipped?: boolean;
}

export type ToolMeta = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Everything that a source has at one moment. Immutable: a change creates a new one. */
export interface Contribution {
  /** In order of priority: of two that claim the same place the first is served. */
  readonly skills?: readonly Skill[];
  /** Of two with one URI the first is served. */
  readonly resources?: readonly StaticResource[];
  readonly templates?: readonly TemplateResource[];
  /** Notices for people: why something was skipped, or what looks wrong. */
  readonly notices?: readonly Notice[];
}

/** Fields that only our own sources contribute. */
export interface InternalContribution extends Contribution {
  /** Skills that exist but cannot be read at the moment, so that a call for one is not answered with "unknown". */
  readonly unreadable?: readonly UnreadableSkill[];
  /** Of two with one name the first is served. */
  readonly tools?: readonly ContributedTool[];
  /** Additional `_meta` of our own tools, by their names. */
  readonly toolMeta?: ToolMeta;
  readonly prompts?: readonly UpstreamPrompt[];
  /** The upstreams that these come from. */
  readonly upstreams?: readonly Upstream[];
  /** Set if a part is hidden: whether the whole has content of our own. */
  readonly hasOwnContent?: boolean;
  /** Whether this is valid only briefly, as for a server that is asked each time. It is refreshed before lists are shown. */
  readonly live?: boolean;
  /** Present if there may be unlisted resources. Reads any URI; undefined if it does not exist. */
  readonly readUnlisted?: (uri: string, context: ReadContext) => Promise<ResourceReading | undefined>;
  /**
   * Present if this is cached from the last run and only partly checked. Checks the rest, and resolves when it is confirmed or
   * `changed` was called. A host's first list does not wait for it; everything else does.
   */
  readonly settle?: () => Promise<void>;
}

/** Whether anything does not come from an upstream. A withheld skill counts: no upstream may replace it. */
export function hasContentOfOurOwn(contribution: InternalContribution): boolean {
  const { hasOwnContent, notices = [], resources = [], skills = [], templates = [], upstreams } = contribution;
  if (hasOwnContent !== undefined || upstreams !== undefined) return hasOwnContent ?? false;
  return skills.length + resources.length + templates.length > 0 || notices.some(({ skipped }) => skipped === true);
}

/** Contributes to the catalog. To add one, write a file that returns this and pass `testSource()`. */
export interface Source {
  /** For logs and messages. */
  readonly name: string;
  /**
   * Called once, before anything else. Call `changed` with each later contribution, whole, and `updated` with the URI of a
   * resource whose content changed while its entry did not.
   */
  open(changed: (next: Contribution) => void, updated: (uri: string) => void): Promise<Contribution>;
  /** Checks for changes now; resolves when `changed` has been called, if anything changed. */
  refresh?(context?: ReadContext): Promise<void>;
  /** Stops watchers and timers. */
  close?(): void;
}

/** Called with a resource whose content changed, and with all parameters of the notification where an upstream sent one. */
export type ResourceUpdated = (uri: string, params?: Fields) => void;

/** Takes a contribution. Where that takes several turns, it returns a promise that resolves when the contribution is shown. */
export type ContributionChanged = (next: InternalContribution) => unknown;

/** One of our own sources. */
export interface InternalSource extends Source {
  open(changed: ContributionChanged, updated: ResourceUpdated): Promise<InternalContribution>;
  refresh(context?: ReadContext): Promise<void>;
  close(): void;
}
