/** How the model of a host reaches what was listed: by one of our tools, natively, or not at all. */
import { isOwnTool } from '../../surfaces/tools/index.js';
import { plural } from '../terminal.js';

/** `unknown`: neither documented nor observed. */
export type Support = 'yes' | 'no' | 'unknown';

/** What a host does with resources and prompts. All hosts call tools. */
interface HostSupport {
  readonly resources: Support;
  readonly prompts: Support;
}

const support = (resources: Support, prompts: Support): HostSupport => ({ resources, prompts });

/**
 * By host id. "List" is modelcontextprotocol.io/clients in 2026, which the vendors maintain: what it does not name for a listed
 * client is not supported. "Observed" means the program itself, from npm, with a scripted model.
 */
const HOSTS: Readonly<Record<string, HostSupport>> = {
  'claude-code': support('yes', 'yes'), // list; tools observed
  'claude-desktop': support('yes', 'yes'), // list; the user attaches resources
  cline: support('yes', 'no'), // list
  codex: support('yes', 'no'), // list; tools observed
  cursor: support('unknown', 'yes'), // list, which named resources before and no longer does
  'gemini-cli': support('yes', 'yes'), // list; resources by its documentation, "MCP resource tools"; tools observed
  'github-copilot-cli': support('no', 'no'), // list; tools observed
  goose: support('yes', 'yes'), // list
  'kilo-code': support('yes', 'no'), // list
  opencode: support('unknown', 'unknown'), // tools observed
  'qwen-code': support('unknown', 'unknown'), // tools observed
  vscode: support('yes', 'yes'), // list
  windsurf: support('no', 'no'), // list
  zed: support('no', 'unknown'), // list, of which there are different copies
};

export function supportOf(host: string): HostSupport {
  return (Object.hasOwn(HOSTS, host) ? HOSTS[host] : undefined) ?? support('unknown', 'unknown');
}

export interface ListedContent {
  readonly tools: readonly string[];
  readonly uris: readonly string[];
  readonly templates: readonly string[];
  readonly prompts: readonly string[];
  /** Tools of an upstream that have the name of a built-in tool. */
  readonly taken: readonly string[];
}

export interface ContentRoute {
  readonly kind: 'skills' | 'resources' | 'prompts';
  readonly count: number;
  /** Null where none is listed. */
  readonly tool: string | null;
  readonly native: Support;
}

/** The best first. */
const TOOLS: Readonly<Record<ContentRoute['kind'], readonly string[]>> = {
  skills: ['skill', 'get_skill', 'get_resource'],
  resources: ['get_resource', 'get_resources'],
  prompts: ['get_prompt'],
};

export function routesTo({ prompts, taken, templates, tools, uris }: ListedContent, host: HostSupport): readonly ContentRoute[] {
  const own = tools.filter((name) => isOwnTool(name) && !taken.includes(name));
  const skills = uris.flatMap((uri) => /^skill:\/\/(.+)\/SKILL\.md$/i.exec(uri)?.[1] ?? []);
  // With --prompts each skill is a prompt too, under its name.
  const names = new Set(skills.flatMap((path) => [path.replace(/^.*\//, ''), path.replaceAll('/', ':')]));
  const resources = [...uris, ...templates].filter((uri) => !/^skill:/i.test(uri)).length;
  const route = (kind: ContentRoute['kind'], count: number, native: Support): ContentRoute => ({
    kind,
    count,
    tool: TOOLS[kind].find((name) => own.includes(name)) ?? null,
    native,
  });
  return [
    route('skills', skills.length, host.resources),
    route('resources', resources, host.resources),
    route('prompts', prompts.filter((name) => !names.has(name)).length, host.prompts),
  ].filter(({ count }) => count > 0);
}

/** Such as "8 skills by the tool skill, and as resources". */
export function routeText({ count, kind, native, tool }: ContentRoute): string {
  const what = plural(count, kind.slice(0, -1));
  const own = kind === 'prompts' ? 'as prompts' : 'as resources';
  if (tool === null) return `${what} ${{ yes: `only ${own}`, no: 'unreachable', unknown: `perhaps ${own}, by no tool` }[native]}`;
  return `${what} by the tool ${tool}${native === 'yes' ? `, and ${own}` : ''}`;
}
