/** What hosts let their models see, as measured in the hosts themselves. `docs/hosts.md` has the measurements. */

export interface HostProfile {
  /** The name that people know the host by. */
  readonly host: string;
  /** The version that was measured, and when; absent for hosts that were not. */
  readonly measured?: { readonly version: string; readonly date: string };
  /** Whether `toolDescription` is what some hosts cut, rather than what this one does. */
  readonly isGuess?: boolean;
  /** How many characters of a tool's description reach the model. */
  readonly toolDescription: number;
  /** How many characters of a parameter's description reach the model. */
  readonly parameterDescription: number;
  /** How many characters of the server's instructions reach the model. */
  readonly instructions: number;
  /** The longest text result that arrives whole, in bytes of its JSON. */
  readonly result: number;
  /** The most lines of a text result that arrive whole. */
  readonly resultLines: number;
  /** Which half of a result with both halves the model gets. */
  readonly half: 'text' | 'structure' | 'both';
  /** Whether the model sees tools only after searching for them. Where that is unknown, what is vital is not left to tools alone. */
  readonly defersTools: boolean | 'unknown';
  /** Skill folders that the host reads itself, below the project and below the home folder. */
  readonly skillFolders: { readonly project: readonly string[]; readonly home: readonly string[] };
  /** How many folders down it finds skills there; 1 for skills directly in these folders. */
  readonly skillDepth: number;
}

const ALL = Number.POSITIVE_INFINITY;
const NOWHERE = { project: [], home: [] };

/** Safe in every host that is known: what is vital comes first, and no text is split unless the caller asks. */
export const UNMEASURED: HostProfile = {
  host: 'unmeasured host',
  isGuess: true,
  toolDescription: 2000,
  parameterDescription: ALL,
  instructions: 2000,
  result: ALL,
  resultLines: ALL,
  half: 'text',
  defersTools: 'unknown',
  skillFolders: NOWHERE,
  skillDepth: 1,
};

/** A host that cuts nothing before the first call. */
export const UNLIMITED: HostProfile = {
  ...UNMEASURED,
  host: 'host without limits',
  isGuess: false,
  toolDescription: ALL,
  instructions: ALL,
  defersTools: false,
};

const DATE = '2026-11-16';

function everywhere(...folders: readonly string[]): HostProfile['skillFolders'] {
  return { project: folders, home: folders };
}

/** By the start of `clientInfo.name`. */
export const HOST_PROFILES: Readonly<Record<string, HostProfile>> = {
  'claude-code': {
    ...UNMEASURED,
    host: 'Claude Code',
    isGuess: false,
    measured: { version: '2.1.197', date: DATE },
    toolDescription: 2048,
    instructions: 2048,
    // With `anthropic/maxResultSizeChars`, which our tools have.
    result: 500_000,
    half: 'structure',
    defersTools: true,
    skillFolders: everywhere('.claude/skills'),
  },
  'codex-mcp-client': {
    ...UNLIMITED,
    host: 'Codex',
    measured: { version: '0.166.0', date: DATE },
    // It drops the descriptions of a larger schema.
    parameterDescription: 3000,
    result: 11_700,
    half: 'structure',
    skillFolders: everywhere('.agents/skills', '.codex/skills'),
    skillDepth: 6,
  },
  'gemini-cli-mcp-client': {
    ...UNLIMITED,
    host: 'Gemini CLI',
    measured: { version: '0.61.0', date: DATE },
    // Of 40,000 characters, it takes some for the words that it puts around a text.
    result: 39_900,
    skillFolders: everywhere('.agents/skills', '.gemini/skills'),
  },
  'qwen-cli-mcp-client': {
    ...UNLIMITED,
    host: 'Qwen Code',
    measured: { version: '0.15.10', date: DATE },
    instructions: 0,
    result: 25_000,
    resultLines: 1000,
    defersTools: true,
    skillFolders: everywhere('.agents/skills', '.qwen/skills'),
  },
  opencode: {
    ...UNLIMITED,
    host: 'opencode',
    measured: { version: '1.18.33', date: DATE },
    result: 51_200,
    resultLines: 2000,
    skillFolders: {
      project: ['.agents/skills', '.claude/skills', '.opencode/skills', '.opencode/skill'],
      home: ['.agents/skills', '.claude/skills', '.opencode/skills', '.opencode/skill', '.config/opencode/skills'],
    },
    skillDepth: ALL,
  },
  'copilot-cli': {
    ...UNLIMITED,
    host: 'Copilot CLI',
    measured: { version: '1.0.102', date: DATE },
    instructions: 0,
    result: 20_480,
    half: 'both',
    skillFolders: {
      project: ['.agents/skills', '.claude/skills', '.github/skills'],
      home: ['.agents/skills', '.copilot/skills'],
    },
  },
  'continue-cli-client': {
    ...UNLIMITED,
    host: 'Continue',
    measured: { version: '1.5.47', date: DATE },
    instructions: 0,
    skillFolders: { project: ['.claude/skills'], home: [] },
  },
  kilo: {
    ...UNLIMITED,
    host: 'Kilo',
    measured: { version: '7.7.7', date: DATE },
    result: 51_200,
    resultLines: 2000,
    skillFolders: everywhere('.agents/skills', '.claude/skills'),
    skillDepth: ALL,
  },
  '@cline/core': {
    ...UNLIMITED,
    host: 'Cline',
    measured: { version: '3.0.65', date: DATE },
    instructions: 0,
    result: 7600,
    half: 'both',
    skillFolders: everywhere('.agents/skills'),
  },
  'kimi-code': {
    ...UNLIMITED,
    host: 'Kimi Code',
    measured: { version: '2.1.0', date: DATE },
    instructions: 0,
    result: 50_000,
    half: 'both',
    skillFolders: everywhere('.agents/skills'),
  },
};

/** What a list or a part may take of a host's limit, which was measured with other texts than ours. */
const SHARE = 0.97;

/** Bytes of a result that is shorter than what it is taken from; infinite for a host without a limit. */
export function usableBytes({ result }: HostProfile): number {
  return Math.floor(result * SHARE);
}

/** Whether a host gets the structured half of results whose text says everything. With both, its model pays twice. */
export function sendsStructure({ half }: HostProfile): boolean {
  return half !== 'both';
}
