/** One skill, resource or template. */
import type { PageData, PageSkill } from '../../src/serve/http/page/shapes.js';
import { type Item, KIND_NAMES } from '../items.js';
import { CopyButton } from '../parts/code.js';
import { sizeOf } from '../parts/size.js';
import { type TabEntry, Tabs } from '../parts/tabs.js';
import { Title } from '../parts/title.js';
import { CATALOG, hashOfItem, hashOfTry, type Tab } from '../route.js';
import { AudienceTab } from './audience.js';
import { ContentTab } from './content.js';
import { FilesTab } from './files.js';
import { HostsTab } from './hosts.js';
import { TryForm } from './try.js';

export interface DetailProps {
  readonly data: PageData;
  /** Content is read again when it changes. */
  readonly version: number;
  readonly item: Item;
  readonly tab: Tab;
  readonly file: string | undefined;
  readonly isKnown: (uri: string) => boolean;
}

const AUDIENCE: TabEntry<Tab> = { name: 'audience', label: 'Who may see it' };
const HOSTS: TabEntry<Tab> = { name: 'hosts', label: 'How hosts see it' };

const ENTRIES: Readonly<Record<Item['kind'], readonly TabEntry<Tab>[]>> = {
  skill: [{ name: 'content', label: 'Content' }, { name: 'files', label: 'Files' }, AUDIENCE, HOSTS],
  resource: [{ name: 'content', label: 'Content' }, AUDIENCE, HOSTS],
  template: [{ name: 'content', label: 'Fill in' }, AUDIENCE, HOSTS],
};

export function Detail({ data, version, item, tab, file, isKnown }: DetailProps) {
  const entries = ENTRIES[item.kind];
  const current = entries.some(({ name }) => name === tab) ? tab : 'content';
  return (
    <article>
      <a class="back" href={CATALOG}>
        ← All skills and resources
      </a>
      <header class="item-head">
        <p class="badges">
          <span class={`badge kind ${item.kind}`}>{KIND_NAMES[item.kind].one}</span>
          {item.category !== '' && <span class="badge">{item.category}</span>}
          {item.requiresAdmin && <span class="badge admin">admin</span>}
        </p>
        <Title>{item.label}</Title>
        {item.description !== '' && (
          <p class="lead" dir="auto">
            {item.description}
          </p>
        )}
        <p class="uri">
          <code>{item.uri}</code>
          <CopyButton text={item.uri} label="Copy the URI" />
          <a class="button quiet" href={hashOfTry(item.uri)}>
            Try it
          </a>
        </p>
        <Facts item={item} />
      </header>
      <Tabs
        label={`About ${item.label}`}
        entries={entries}
        current={current}
        choose={(name) => {
          location.hash = hashOfItem(item.uri, name);
        }}
      >
        {current === 'content' && item.kind === 'template' && <TryForm data={data} uri={item.uri} fixed />}
        {current === 'content' && item.kind !== 'template' && <ContentTab version={version} item={item} file={file} isKnown={isKnown} />}
        {current === 'files' && <FilesTab uri={item.uri} version={version} />}
        {current === 'audience' && <AudienceTab item={item} data={data} />}
        {current === 'hosts' && <HostsTab item={item} data={data} />}
      </Tabs>
    </article>
  );
}

function skillFacts({ modified, signer, version }: PageSkill): readonly (readonly [string, string])[] {
  return [
    ...(version === undefined ? [] : [['Version', version] as const]),
    ...(signer === undefined ? [] : [['Signed by', signer === 'unsigned' ? 'nobody (unsigned)' : signer] as const]),
    ...(modified === undefined ? [] : [['Last change', modified.slice(0, 10)] as const]),
  ];
}

function Facts({ item }: { readonly item: Item }) {
  const facts: readonly (readonly [string, string])[] = [
    ...(item.origin === '' ? [] : [['From', item.origin] as const]),
    ...(item.kind === 'skill' ? skillFacts(item.skill) : []),
    ...(item.kind === 'skill' ? [['Belongs to', item.skill.location === 'project' ? 'this project' : 'this machine'] as const] : []),
    ...(item.kind === 'skill' && item.skill.size !== undefined ? [['SKILL.md', sizeOf(item.skill.size)] as const] : []),
    ...(item.kind !== 'skill' && item.mimeType !== undefined ? [['Type', item.mimeType] as const] : []),
  ];
  if (facts.length === 0) return null;
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
