/** Whether the model of a host searches for the tools of servers, and how many tokens that saves. */
import type { HostView } from '../../surfaces/hosts/view.js';
import { grouped, plural } from '../terminal.js';
import type { ServerReport } from './servers.js';
import type { StartOutcome } from './start.js';

export interface ToolSearchReport {
  /** By whom they are searched for; null if all are listed. */
  readonly by: 'find_tools' | 'host' | null;
  /** Tools of all servers. */
  readonly tools: number;
  /** About how many tokens their definitions take. */
  readonly tokens: number;
  /** About how many of these Footbridge keeps out of a conversation. */
  readonly saved: number;
}

/** Undefined where no server has tools. */
export function toolSearchOf(
  { listed, toolTokens }: Extract<StartOutcome, { ok: true }>,
  { profile }: HostView,
  servers: readonly ServerReport[],
): ToolSearchReport | undefined {
  const tools = servers.reduce((sum, each) => sum + (each.tools ?? 0), 0);
  if (tools === 0) return undefined;
  const tokens = servers.reduce((sum, each) => sum + (each.toolTokens ?? 0), 0);
  const isOurs = listed.tools.includes('find_tools') && !listed.taken.includes('find_tools');
  const by = isOurs ? 'find_tools' : profile.defersTools === true ? 'host' : null;
  return { by, tools, tokens, saved: isOurs ? Math.max(0, tokens - toolTokens) : 0 };
}

/** Such as "the model finds 120 tools of servers with find_tools, which saves 30,000 tokens". */
export function toolSearchText({ by, saved, tokens, tools }: ToolSearchReport): string {
  const what = `${plural(tools, 'tool')} of servers`;
  if (by === 'find_tools') return `the model finds ${what} with find_tools, which saves about ${grouped(saved)} tokens`;
  if (by === 'host') return `the host searches ${what} itself`;
  return `lists all ${what}, about ${grouped(tokens)} tokens`;
}
