/** Servers that publish skills in each of the known formats, and functions to query them. */
import { createHash } from 'node:crypto';
import { McpServer, Server } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import type { Source } from 'footbridge';
import { OWNER, type ReadContext } from '../../src/sources/resource.js';
import { type Channel, ServerError } from '../../src/sources/server/channel.js';
import type { Notice, Skill } from '../../src/sources/source.js';
import { findSkills, type UpstreamSkillsOptions } from '../../src/sources/upstream/skills/index.js';
import type { Json } from './client.js';
import { connect } from './memory.js';

export const context: ReadContext = { caller: OWNER, signal: new AbortController().signal };

/** Files by their path below the skill's folder. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface ManagedUpstream {
  readonly options: UpstreamSkillsOptions;
  /** The URIs that were read, in order. */
  readonly reads: string[];
}

export function digest(content: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

export function markdown(name: string, description = 'What it does and when.', body = '# Do it'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}

/** A running server with its lists, as a source would have read them. */
async function upstreamOf(server: McpServer | Server, group: readonly string[] = []): Promise<ManagedUpstream> {
  const client = await connect(server);
  const [initialized] = client.received as Json[];
  const reads: string[] = [];
  const channel: Channel = {
    async request(method, params) {
      if (method === 'resources/read') reads.push(String(params['uri']));
      const { result, error } = await client.request(method, params);
      if (error !== undefined) throw new ServerError(error.code, error.message, error.data);
      return result;
    },
  };
  const { resources } = await channel.request('resources/list', {}, context);
  return {
    options: { channel, origin: 'docs', group, resources: resources as Json, capabilities: initialized.result.capabilities },
    reads,
  };
}

/** A server with the Skills extension, as the SDK serves it; `files` are below its root. */
export async function extensionServer(files: Record<string, string | Uint8Array>, group?: readonly string[]): Promise<ManagedUpstream> {
  const server = new McpServer({ name: 'upstream', version: '1' });
  (await SkillsExtension.load(memorySkillFiles(files))).attach(server);
  return upstreamOf(server, group);
}

/** A server with nothing but resources: those in `listed`, and whatever else `content` has. */
export async function resourceServer(listed: readonly Json[], content: () => Files): Promise<ManagedUpstream> {
  const server = new Server({ name: 'upstream', version: '1' }, { capabilities: { resources: {} } });
  server.setRequestHandler('resources/list', () => ({ resources: listed as Json }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = content()[uri];
    if (found === undefined) throw new Error(`Unknown resource: ${uri}`);
    return { contents: [typeof found === 'string' ? { uri, text: found } : { uri, blob: Buffer.from(found).toString('base64') }] };
  });
  return upstreamOf(server);
}

/** Like FastMCP's `SkillsProvider`: line ends of text are normalised, everything else is unchanged. */
export async function fastMcpServer(name: string, files: Files, description?: string): Promise<ManagedUpstream> {
  const root = `skill://${name}`;
  const manifest = {
    skill: name,
    files: Object.entries(files).map(([path, content]) => ({ path, size: Buffer.byteLength(content), hash: digest(content) })),
  };
  const listed = [
    { uri: `${root}/SKILL.md`, name: `${name}/SKILL.md`, description, mimeType: 'text/markdown' },
    { uri: `${root}/_manifest`, name: `${name}/_manifest`, description: `File listing for ${name}`, mimeType: 'application/json' },
  ];
  return resourceServer(listed, () => ({
    ...Object.fromEntries(
      Object.entries(files).map(([path, content]) => [
        `${root}/${path}`,
        typeof content === 'string' ? content.replaceAll('\r\n', '\n') : content,
      ]),
    ),
    [`${root}/_manifest`]: JSON.stringify(manifest, undefined, 2),
  }));
}

/** A server whose answers are defined by the test: for each method, a result or a function of the parameters. */
export function handWritten(answers: Readonly<Record<string, Json>>, options: Partial<UpstreamSkillsOptions> = {}): ManagedUpstream {
  const reads: string[] = [];
  const channel: Channel = {
    async request(method, params) {
      if (method === 'resources/read') reads.push(String(params['uri']));
      const answer = answers[method];
      if (answer === undefined) throw new ServerError(-32601, 'Method not found', undefined);
      const result = typeof answer === 'function' ? answer(params) : answer;
      return typeof result === 'string' ? JSON.parse(result) : JSON.parse(JSON.stringify(result));
    },
  };
  const capabilities = { extensions: { 'io.modelcontextprotocol/skills': {} } };
  return { options: { channel, origin: 'hostile', group: [], resources: [], capabilities, ...options }, reads };
}

/** An entry of the extension for these files. */
export function entryOf(name: string, files: Files, more: Json = {}): Json {
  return {
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: 'What it does and when.' },
    resources: Object.entries(files).map(([path, content]) => ({
      uri: `skill://${name}/${path}`,
      digest: digest(content),
      size: Buffer.byteLength(content),
    })),
    ...more,
  };
}

/** The skills that were found, by name, and the rules of the notices. */
export async function find({
  options,
}: ManagedUpstream): Promise<{ skills: readonly Skill[]; notices: readonly Notice[]; rules: string[] }> {
  const { skills, notices } = await findSkills(options, context);
  return { skills, notices, rules: notices.map(({ rule }) => rule) };
}

/** The only skill that was found. Fails if there are notices. */
export async function findOne(upstream: ManagedUpstream): Promise<Skill> {
  const { skills, notices } = await find(upstream);
  const [skill] = skills;
  if (skill === undefined || skills.length !== 1 || notices.length > 0) throw new Error(JSON.stringify({ skills, notices }));
  return skill;
}

/** A source that contributes what was found. */
export function sourceOf(upstream: ManagedUpstream): Source {
  return {
    name: upstream.options.origin,
    open: async () => findSkills(upstream.options, context),
    refresh: async () => {},
    close: () => {},
  };
}
