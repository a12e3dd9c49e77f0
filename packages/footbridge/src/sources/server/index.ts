/** The source `server`: an MCP server whose lists are read again for each request. */
import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import type { ReadContext, ResourceReading, StaticResource } from '../resource.js';
import type { InternalContribution, InternalSource } from '../source.js';
import { type Channel, listAll, parseReading } from './channel.js';
import { isResource, isTemplateEntry, orNotFound, type ResourceRule, toTemplate, traitsOf } from './entries.js';

export interface ServerSourceOptions {
  readonly channel: Channel;
  readonly rules: readonly ResourceRule[];
  /** Throws when the server's own transport would deny the read. */
  readonly guard?: (uri: string, context: ReadContext) => Promise<void> | undefined;
}

/** Resources and templates of a server, read on refresh. */
export function serverSource({ channel, rules, guard }: ServerSourceOptions): InternalSource {
  let listed = '';
  let changed: ((next: InternalContribution) => void) | undefined;

  const ask = (uri: string, context: ReadContext): Promise<ResourceReading> =>
    channel.request('resources/read', { uri }, context).then(parseReading, (cause: unknown) => {
      throw orNotFound(uri, cause);
    });
  const read = (uri: string, context: ReadContext): Promise<ResourceReading> => {
    const guarded = guard?.(uri, context);
    return guarded === undefined ? ask(uri, context) : guarded.then(() => ask(uri, context));
  };
  const contribute = (
    resources: readonly Resource[] | undefined,
    templates: readonly ResourceTemplateType[] | undefined,
  ): InternalContribution => ({
    live: true,
    resources: (resources ?? []).map((entry): StaticResource => ({ ...traitsOf(rules, entry.uri), entry, read })),
    templates: (templates ?? []).map((entry) => toTemplate(entry, rules, channel, read)),
    // A server without either method has no resources at all.
    ...(resources === undefined && templates === undefined ? {} : { readUnlisted: read }),
  });

  return {
    name: 'server',
    async open(onChange) {
      changed = onChange;
      return contribute([], []);
    },
    async refresh(context) {
      if (context === undefined) return;
      const resources = (await listAll(channel, 'resources/list', 'resources', context))?.filter(isResource);
      const templates = (await listAll(channel, 'resources/templates/list', 'resourceTemplates', context))?.filter(isTemplateEntry);
      const now = JSON.stringify([resources, templates]);
      if (now === listed) return;
      listed = now;
      changed?.(contribute(resources, templates));
    },
    close() {
      changed = undefined;
    },
  };
}
