/** What a host gets of what was really listed to it, and by which road. */
import { isOwnTool } from '../../surfaces/tools/index.js';
import { plural } from '../terminal.js';
import type { Known, Roads } from './roads.js';

/** What a started server listed. */
export interface Listed {
  readonly tools: readonly string[];
  readonly uris: readonly string[];
  /** As URI templates. */
  readonly templates: readonly string[];
  readonly prompts: readonly string[];
  /** Tools by a name of ours that a server behind us has, so that they are not ours. */
  readonly taken: readonly string[];
}

export interface Route {
  readonly kind: 'skills' | 'resources' | 'prompts';
  readonly count: number;
  /** The tool of ours by which a model gets at them; null where it is not listed. */
  readonly tool: string | null;
  /** Whether the host gets at them in their own form. */
  readonly native: Known;
}

/** The tools of ours that give access, the best first. */
const TOOLS: Readonly<Record<Route['kind'], readonly string[]>> = {
  skills: ['skill', 'get_skill', 'get_resource'],
  resources: ['get_resource', 'get_resources'],
  prompts: ['get_prompt'],
};

/** Only what there is any of. */
export function roadsTo({ prompts, taken, templates, tools, uris }: Listed, host: Roads): readonly Route[] {
  const own = tools.filter((name) => isOwnTool(name) && !taken.includes(name));
  const skills = uris.flatMap((uri) => /^skill:\/\/(.+)\/SKILL\.md$/i.exec(uri)?.[1] ?? []);
  // With --prompts each skill is a prompt too, under its name.
  const names = new Set(skills.flatMap((path) => [path.replace(/^.*\//, ''), path.replaceAll('/', ':')]));
  // What is there for skills is no resource besides them.
  const resources = [...uris, ...templates].filter((uri) => !/^skill:/i.test(uri)).length;
  const route = (kind: Route['kind'], count: number, native: Known): Route => ({
    kind,
    count,
    tool: TOOLS[kind].find((name) => own.includes(name)) ?? null,
    native,
  });
  const all = [
    route('skills', skills.length, host.resources),
    route('resources', resources, host.resources),
    route('prompts', prompts.filter((name) => !names.has(name)).length, host.prompts),
  ];
  return all.filter(({ count }) => count > 0);
}

/** Such as "8 skills by the tool skill, and as resources". */
export function roadText({ count, kind, native, tool }: Route): string {
  const what = plural(count, kind.slice(0, -1));
  const own = kind === 'prompts' ? 'as prompts' : 'as resources';
  if (tool === null) return `${what} ${{ yes: `${own} alone`, no: 'by no route', unknown: `perhaps ${own}, by no tool` }[native]}`;
  return `${what} by the tool ${tool}${native === 'yes' ? `, and ${own}` : ''}`;
}
