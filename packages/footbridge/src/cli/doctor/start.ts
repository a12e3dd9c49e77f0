/** Starts what a host would start, and talks to it as a host does. */

import { randomUUID } from 'node:crypto';
import type { Fields } from '../../json.js';
import { asText } from '../../json.js';
import { leveled } from '../../log.js';
import { ServerError } from '../../sources/server/channel.js';
import { parseSkillUri } from '../../sources/skill-uri.js';
import { SKILL_FILE } from '../../sources/source.js';
import { UpstreamClient } from '../../sources/upstream/client.js';
import { MODERN } from '../../sources/upstream/eras.js';
import {
  failureOf,
  parseEvent,
  REPORT_VARIABLE,
  type ReportEvent,
  UpstreamError,
  type UpstreamFailure,
} from '../../sources/upstream/failure.js';
import type { UpstreamServer } from '../../sources/upstream/options.js';
import { isOwnTool } from '../../surfaces/tools/index.js';
import { SEARCH_TOOL_NAMES } from '../../tool-names.js';
import type { ListedSkill } from '../host-reach.js';
import type { Startable } from '../hosts/index.js';
import type { Io } from '../io.js';
import { type ListName, SurfaceFailure } from '../surface/canonical.js';
import { readEntries } from '../surface/read.js';
import { tokens } from '../terminal.js';
import type { Cleanup } from './cleanup.js';
import { collectStderr, shown } from './finding.js';
import type { ListedContent } from './routes.js';

export type StartOutcome =
  | {
      readonly ok: true;
      /** Until it had listed its tools. */
      readonly ms: number;
      readonly name: string;
      readonly version: string;
      readonly revision: string;
      readonly listed: ListedContent;
      /** About how many tokens the definitions of tools take that are not ours, and of those that find and call them. */
      readonly toolTokens: number;
      /** The entry of the tool `skill`, and the skills that it loads. */
      readonly skillTool: Fields | undefined;
      readonly skills: readonly ListedSkill[];
      /** The first upstream that failed. */
      readonly upstreamFailure: UpstreamFailure | undefined;
    }
  | {
      readonly ok: false;
      readonly failure: UpstreamFailure;
      /** Set where the version is too old. */
      readonly oldNode: string | undefined;
      readonly details: readonly string[];
    };

const EXIT_MS = 3000;

/** `folder` is where the host would start it, `clientName` how it would introduce itself. Each answer may take `timeoutMs`. */
export async function start(
  server: Startable,
  folder: string,
  clientName: string | undefined,
  timeoutMs: number,
  cleanup: Cleanup,
  io: Io,
): Promise<StartOutcome> {
  const given = Object.values(server.kind === 'command' ? server.env : server.headers);
  const stderr = collectStderr(given);
  const events: ReportEvent[] = [];
  const token = randomUUID();
  const client = new UpstreamClient(toUpstream(server, folder, token, io), {
    clientName: clientName ?? 'footbridge-doctor',
    timeoutMs,
    exitMs: EXIT_MS,
    log: leveled('warn', (_level, message) => stderr.take(message)),
    stderr(line) {
      const event = parseEvent(line, token);
      if (event === undefined) stderr.take(line);
      else events.push(event);
    },
  });
  cleanup.add(() => client.close());
  try {
    const answers = await ask(client, timeoutMs);
    await client.close();
    const failed = events.find((event) => event.event === 'upstream-failed');
    const upstreamFailure = failed && { kind: failed.kind, message: shown(failed.message, given) };
    const taken = events.flatMap((event) => (event.event === 'tool-name-taken' ? [event.name] : []));
    return { ok: true, ...answers, listed: { ...answers.listed, taken }, upstreamFailure };
  } catch (error) {
    if (!(error instanceof SurfaceFailure || error instanceof UpstreamError || error instanceof ServerError)) throw error;
    await client.close();
    const { kind, message } = failureOf(error);
    const oldNode = events.find((event) => event.event === 'node-too-old')?.version;
    return { ok: false, failure: { kind, message: shown(message, given) }, oldNode, details: stderr.last() };
  } finally {
    await client.close();
  }
}

async function ask(client: UpstreamClient, timeoutMs: number) {
  const began = performance.now();
  const { era, handshake } = await client.connect();
  const { capabilities, result, serverInfo } = handshake;
  const entries = (name: ListName) => readEntries(client, capabilities, name, timeoutMs);
  const keys = async (name: ListName) => (await entries(name)).map(({ key }) => key);
  const tools = await entries('tools');
  const ms = Math.round(performance.now() - began);
  const [resources, templates, prompts] = [await entries('resources'), await keys('resourceTemplates'), await keys('prompts')];
  return {
    ms,
    name: asText(serverInfo['name'] ?? ''),
    version: asText(serverInfo['version'] ?? ''),
    revision: era === 'modern' ? MODERN : asText(result['protocolVersion'] ?? ''),
    listed: { tools: tools.map(({ key }) => key), uris: resources.map(({ key }) => key), templates, prompts },
    toolTokens: tools.reduce((sum, { fields, key }) => (isAboutSkills(key) ? sum : sum + tokens(JSON.stringify(fields))), 0),
    skillTool: tools.find(({ key }) => key === 'skill')?.fields,
    skills: resources.flatMap(({ fields, key }) => skillOf(key, fields)),
  };
}

/** Whether a tool is listed with or without upstream servers. */
function isAboutSkills(name: string): boolean {
  return isOwnTool(name) && !SEARCH_TOOL_NAMES.some((each) => each === name);
}

function skillOf(uri: string, { description, name }: Fields): readonly ListedSkill[] {
  const segments = parseSkillUri(uri);
  if (segments?.at(-1) !== SKILL_FILE) return [];
  const path = segments.slice(0, -1);
  const own = asText(name);
  return [{ name: own, qualifiedName: path.length > 1 ? path.join(':') : own, description: asText(description ?? '') }];
}

/** Unlike an upstream's, the environment is our own: most hosts pass theirs on. */
function toUpstream(server: Startable, folder: string, token: string, io: Io): UpstreamServer {
  if (server.kind === 'url') return { url: server.url, headers: server.headers };
  const { args, command, cwd = folder, env } = server;
  const own = Object.entries(io.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { command, args, cwd, env: { ...Object.fromEntries(own), ...env, [REPORT_VARIABLE]: token } };
}
