/** What the catalog page is told, as JSON. Without imports: the browser's code is checked against these types too. */

/** Who may see something: everybody who may connect, admins, or those with one of these roles. */
export type Audience = 'everybody' | 'admins' | readonly string[];

export interface PageSkill {
  readonly name: string;
  /** What to give to the tool `skill`. */
  readonly callName: string;
  readonly uri: string;
  readonly description: string;
  /** The folders it lies in, `/`-separated; absent where there are none. */
  readonly category?: string;
  readonly origin: string;
  readonly location: string;
  /** Whether the Skills extension can carry it. */
  readonly conforms: boolean;
  /** Bytes of SKILL.md; absent where they are not known. */
  readonly size?: number;
  readonly seenBy: Audience;
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
  readonly seenBy: Audience;
}

export interface PageVariable {
  readonly name: string;
  readonly required: boolean;
  readonly examples: readonly string[];
}

/** `uri` is the template. */
export interface PageTemplate extends PageResource {
  readonly variables: readonly PageVariable[];
}

export interface PageTool {
  readonly name: string;
  readonly title?: string;
}

/** An upstream server that cannot be used, the kind of its failure, and why in words. */
export interface PageFailure {
  readonly server: string;
  readonly kind: string;
  readonly reason: string;
}

/** What `GET /api/catalog` answers: all that this caller may see. */
export interface PageData {
  readonly server: {
    readonly name: string;
    readonly version: string;
    /** Where hosts connect. */
    readonly endpoint: string;
    /** Whether hosts need a token. */
    readonly protected: boolean;
    /** Whether each skill is a prompt too. */
    readonly prompts: boolean;
  };
  readonly caller: { readonly name: string; readonly roles: readonly string[]; readonly admin: boolean };
  readonly tools: readonly PageTool[];
  readonly skills: readonly PageSkill[];
  readonly resources: readonly PageResource[];
  readonly templates: readonly PageTemplate[];
  /** Upstream servers that cannot be used at the moment; absent where all can. */
  readonly unavailable?: readonly PageFailure[];
}

export interface PageFile {
  /** Below the skill, `/`-separated. */
  readonly path: string;
  readonly uri: string;
  readonly kind: 'file' | 'directory';
  readonly size?: number;
  readonly mimeType?: string;
}

/** What `GET /api/skill?uri=…` answers. */
export interface PageFiles {
  readonly files: readonly PageFile[];
  /** Whether there are more than are listed. */
  readonly more: boolean;
}

/** What is answered instead, with a status that fits. */
export interface PageProblem {
  readonly error: string;
  readonly message: string;
}
