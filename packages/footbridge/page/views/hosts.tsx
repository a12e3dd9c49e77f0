/** What each kind of host sees: the same content over three lanes of the bridge. */
import type { ComponentChildren } from 'preact';
import type { PageData } from '../../src/serve/http/page/shapes.js';
import type { Item } from '../items.js';
import { CopyButton } from '../parts/code.js';

/** A call, and what comes back. */
interface Route {
  readonly call: string;
  readonly gives: string;
}

export function HostsTab({ item, data }: { readonly item: Item; readonly data: PageData }) {
  const offered = new Set(data.tools.map(({ name }) => name));
  const tools = toolRoads(item).filter(({ tool }) => offered.has(tool));
  return (
    <div class="lanes">
      <Lane title="Tools only" about="Most hosts: ChatGPT, Copilot CLI, Windsurf, JetBrains, Zed and others. The model calls a tool.">
        <Roads roads={tools} />
        {tools.length === 0 && <p class="note">The tools for it are not among those that you may call here.</p>}
      </Lane>
      <Lane title="Resources" about="Hosts that list and read resources; in some a person attaches them.">
        <Roads roads={resourceRoads(item)} />
      </Lane>
      <Lane title="Skills extension" about="Hosts that speak io.modelcontextprotocol/skills.">
        <Extension item={item} />
      </Lane>
      {item.kind === 'skill' && data.server.prompts && (
        <Lane title="Prompts" about="Hosts that offer prompts to people, often as slash commands.">
          <Roads roads={[{ call: `prompts/get ${json({ name: item.label })}`, gives: 'the instructions as a message' }]} />
        </Lane>
      )}
    </div>
  );
}

function Lane({ title, about, children }: { readonly title: string; readonly about: string; readonly children: ComponentChildren }) {
  return (
    <section class="lane">
      <h2>{title}</h2>
      <p class="note">{about}</p>
      {children}
    </section>
  );
}

function Roads({ roads }: { readonly roads: readonly Route[] }) {
  return (
    <dl class="calls">
      {roads.map(({ call, gives }) => (
        <div key={call}>
          <dt>
            <code>{call}</code>
            <CopyButton text={call} label={`Copy ${call}`} />
          </dt>
          <dd>{gives}</dd>
        </div>
      ))}
    </dl>
  );
}

function Extension({ item }: { readonly item: Item }) {
  if (item.kind !== 'skill') return <p>It is no skill, so the extension does not carry it. These hosts read it as a resource.</p>;
  if (item.skill.conforms)
    return (
      <Roads
        roads={[{ call: `skills/get ${json({ uri: item.uri })}`, gives: 'the front matter, and every file with its digest and size' }]}
      />
    );
  return (
    <p>
      <strong>Left out.</strong> It breaks a MUST of the Agent Skills standard, which the extension cannot carry; tools and resources serve
      it all the same. <code>footbridge lint</code> says what to change.
    </p>
  );
}

function toolRoads(item: Item): readonly (Route & { readonly tool: string })[] {
  const { uri } = item;
  const resource = { tool: 'get_resource', gives: 'the content as text, and as { success, uri, data, mime_type }' };
  if (item.kind === 'template') {
    const variables = Object.fromEntries(item.template.variables.map(({ name, examples }) => [name, examples[0] ?? '…']));
    return [{ ...resource, call: `get_resource(${json({ uri, variables })})` }];
  }
  if (item.kind === 'resource')
    return [
      { ...resource, call: `get_resource(${json({ uri })})` },
      {
        tool: 'get_resources',
        call: `get_resources(${json({ uris: [uri] })})`,
        gives: 'several at once, each with its own success or error',
      },
    ];
  return [
    {
      tool: 'skill',
      call: `skill(${json({ name: item.skill.callName })})`,
      gives: 'its name, its base folder and the instructions, as text',
    },
    { tool: 'get_skill', call: `get_skill(${json({ uri })})`, gives: 'the file as text, and as { uri, mimeType, text }' },
    { ...resource, call: `get_resource(${json({ uri })})` },
  ];
}

function resourceRoads(item: Item): readonly Route[] {
  const { uri } = item;
  if (item.kind === 'template')
    return [
      { call: 'resources/templates/list', gives: 'the template; the values of its variables are completed' },
      { call: `resources/read ${json({ uri })}`, gives: 'the content, once the template is filled in' },
    ];
  return [
    { call: 'resources/list', gives: 'its entry: URI, name, description and type' },
    { call: `resources/read ${json({ uri })}`, gives: 'the content, byte for byte' },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, ' ');
}
