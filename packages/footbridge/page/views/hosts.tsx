/** How each kind of host gets an item: through tools, resources or the Skills extension. */
import type { ComponentChildren } from 'preact';
import type { PageData } from '../../src/serve/http/page/shapes.js';
import type { Item } from '../items.js';
import { CopyButton } from '../parts/code.js';

/** A call and its result. */
interface Call {
  readonly call: string;
  readonly returns: string;
}

export function HostsTab({ item, data }: { readonly item: Item; readonly data: PageData }) {
  const offered = new Set(data.tools.map(({ name }) => name));
  const tools = toolCalls(item).filter(({ tool }) => offered.has(tool));
  return (
    <div class="lanes">
      <Lane title="Tools only" about="Most hosts: ChatGPT, Copilot CLI, Windsurf, JetBrains, Zed and others. The model calls a tool.">
        <Calls calls={tools} />
        {tools.length === 0 && <p class="note">You do not have access to the tools that read this.</p>}
      </Lane>
      <Lane title="Resources" about="Hosts that list and read resources; in some, the user attaches them.">
        <Calls calls={resourceCalls(item)} />
      </Lane>
      <Lane title="Skills extension" about="Hosts that support io.modelcontextprotocol/skills.">
        <Extension item={item} />
      </Lane>
      {item.kind === 'skill' && data.server.prompts && (
        <Lane title="Prompts" about="Hosts that offer prompts to the user, often as slash commands.">
          <Calls calls={[{ call: `prompts/get ${json({ name: item.label })}`, returns: 'the instructions as a message' }]} />
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

function Calls({ calls }: { readonly calls: readonly Call[] }) {
  return (
    <dl class="calls">
      {calls.map(({ call, returns }) => (
        <div key={call}>
          <dt>
            <code>{call}</code>
            <CopyButton text={call} label={`Copy ${call}`} />
          </dt>
          <dd>{returns}</dd>
        </div>
      ))}
    </dl>
  );
}

function Extension({ item }: { readonly item: Item }) {
  if (item.kind !== 'skill') return <p>This is not a skill, so it is not part of the extension. These hosts read it as a resource.</p>;
  if (item.skill.conforms)
    return (
      <Calls
        calls={[{ call: `skills/get ${json({ uri: item.uri })}`, returns: 'the front matter, and every file with its digest and size' }]}
      />
    );
  return (
    <p>
      <strong>Not included.</strong> It violates a MUST of the Agent Skills standard; tools and resources still serve it. Run{' '}
      <code>footbridge lint</code> to see what to change.
    </p>
  );
}

function toolCalls(item: Item): readonly (Call & { readonly tool: string })[] {
  const { uri } = item;
  const resource = { tool: 'get_resource', returns: 'the content as text, and as { success, uri, data, mime_type }' };
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
        returns: 'several resources, each with its own success or error',
      },
    ];
  return [
    {
      tool: 'skill',
      call: `skill(${json({ name: item.skill.callName })})`,
      returns: 'its name, its base folder and the instructions, as text',
    },
    { tool: 'get_skill', call: `get_skill(${json({ uri })})`, returns: 'the file as text, and as { uri, mimeType, text }' },
    { ...resource, call: `get_resource(${json({ uri })})` },
  ];
}

function resourceCalls(item: Item): readonly Call[] {
  const { uri } = item;
  if (item.kind === 'template')
    return [
      { call: 'resources/templates/list', returns: 'the template; values of its variables are completed' },
      { call: `resources/read ${json({ uri })}`, returns: 'the content, once the template is filled in' },
    ];
  return [
    { call: 'resources/list', returns: 'its entry: URI, name, description and type' },
    { call: `resources/read ${json({ uri })}`, returns: 'the content, byte for byte' },
  ];
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 1).replace(/\n\s*/g, ' ');
}
