/** The JSON of the catalog page. Without imports, since the browser code uses these types too. */

/** Every caller, admins, or callers with one of these roles. */
export type PageAudience = 'everybody' | 'admins' | readonly string[];

export interface PageSkill {
  readonly name: string;
  /** The argument for the tool `skill`. */
  readonly callName: string;
  readonly uri: string;
  readonly description: string;
  /** Its parent folders, `/`-separated. */
  readonly category?: string;
  readonly origin: string;
  readonly location: string;
  /** Whether it is served through the Skills extension. */
  readonly conforms: boolean;
  /** Bytes of SKILL.md, if known. */
  readonly size?: number;
  /** Of a fetched skill: its version, and who signed it. */
  readonly version?: string;
  readonly signer?: string;
  /** When it was last changed or fetched, in ISO 8601. */
  readonly modified?: string;
  readonly seenBy: PageAudience;
}

export interface PageResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly mimeType?: string;
  readonly category: string;
  readonly origin?: string;
  readonly requiresAdmin: boolean;
  readonly seenBy: PageAudience;
}

/** `uri` is the template. */
export interface PageTemplate extends PageResource {
  readonly variables: readonly { readonly name: string; readonly required: boolean; readonly examples: readonly string[] }[];
}

/** The response of `GET /api/catalog`. */
export interface PageData {
  readonly server: {
    readonly name: string;
    readonly version: string;
    readonly endpoint: string;
    /** Whether hosts need a token. */
    readonly protected: boolean;
    /** Whether skills are also prompts. */
    readonly prompts: boolean;
  };
  readonly caller: { readonly name: string; readonly roles: readonly string[]; readonly admin: boolean };
  readonly tools: readonly { readonly name: string; readonly title?: string }[];
  readonly skills: readonly PageSkill[];
  readonly resources: readonly PageResource[];
  readonly templates: readonly PageTemplate[];
  /** Whether this caller may read `GET /api/insight`. */
  readonly insight: boolean;
  /** Pages of packs. */
  readonly pages: readonly PageLink[];
  /** Unavailable upstream servers with the kind of failure; absent if there are none. */
  readonly unavailable?: readonly { readonly server: string; readonly kind: string; readonly reason: string }[];
}

export interface PageLink {
  readonly title: string;
  /** Relative to the page. */
  readonly path: string;
}

/** A tool or prompt of an upstream. */
export interface PageOffer {
  readonly name: string;
  readonly description: string;
}

export interface PageUpstream {
  readonly name: string;
  readonly status: 'available' | 'starting' | 'unavailable';
  /** Of an unavailable one. */
  readonly kind?: string;
  readonly reason?: string;
  readonly tools: readonly PageOffer[];
  readonly prompts: readonly PageOffer[];
}

export interface PageInsightSkill {
  /** The argument for the tool `skill`. */
  readonly name: string;
  readonly uri: string;
  /** Loads in these days; absent if unknown. */
  readonly uses?: number;
  /** Of its entry in the list of skills; absent if unknown. */
  readonly listTokens?: number;
  /** Of its SKILL.md. */
  readonly loadTokens?: number;
  /** When its SKILL.md was changed, in ISO 8601. */
  readonly changedAt?: string;
}

/** A finding of `footbridge lint`. */
export interface PageFinding {
  readonly severity: 'error' | 'warning';
  readonly rule: string;
  readonly place: string;
  readonly message: string;
  readonly action: string;
}

/** The response of `GET /api/insight`. */
export interface PageInsight {
  /** The number of days in which uses are counted. */
  readonly days: number;
  readonly counted: 'counted' | 'disabled' | 'unavailable';
  /** Whether costs and findings are still missing. */
  readonly inspecting: boolean;
  readonly upstreams: readonly PageUpstream[];
  readonly skills: readonly PageInsightSkill[];
  readonly findings: readonly PageFinding[];
  readonly moreFindings: number;
}

export interface PageFile {
  /** Relative to the skill, `/`-separated. */
  readonly path: string;
  readonly uri: string;
  readonly kind: 'file' | 'directory';
  readonly size?: number;
  readonly mimeType?: string;
}

/** The response of `GET /api/skill?uri=…`. */
export interface PageFiles {
  readonly files: readonly PageFile[];
  /** Whether the list is truncated. */
  readonly more: boolean;
}

export interface PageProblem {
  readonly error: string;
  readonly message: string;
}

/** `GET /api/search?words=…`. */
export interface PageSearch {
  /** URIs of skills and resources, and templates, best first. */
  readonly uris: readonly string[];
}
