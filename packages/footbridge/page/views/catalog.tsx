/** The catalog: the list on one side, the open item on the other. */
import { useMemo } from 'preact/hooks';
import type { PageData } from '../../src/serve/http/page/shapes.js';
import type { Item } from '../items.js';
import { Bridge } from '../parts/bridge.js';
import { CATALOG, hashOfTry, type PageRoute, SETUP } from '../route.js';
import { Detail } from './detail.js';
import { Listing } from './listing.js';

export interface CatalogViewProps {
  readonly data: PageData;
  readonly version: number;
  readonly items: readonly Item[];
  readonly route: PageRoute;
  readonly open: Item | undefined;
}

export function CatalogView({ data, version, items, route, open }: CatalogViewProps) {
  const known = useMemo(() => new Set(items.map(({ uri }) => uri)), [items]);
  return (
    <div class={route.view === 'item' ? 'columns opened' : 'columns'}>
      <Listing items={items} current={open?.uri} />
      <main class="detail" tabIndex={-1}>
        {route.view !== 'item' && <Welcome data={data} />}
        {route.view === 'item' && open === undefined && <Missing uri={route.uri} />}
        {route.view === 'item' && open !== undefined && (
          <Detail
            key={open.uri}
            data={data}
            version={version}
            item={open}
            tab={route.tab}
            file={route.file}
            isKnown={(uri) => known.has(uri)}
          />
        )}
      </main>
    </div>
  );
}

const LIST = new Intl.ListFormat('en-GB');

function Welcome({ data }: { readonly data: PageData }) {
  const { caller, pages, resources, server, skills, templates, tools, unavailable = [] } = data;
  const empty = skills.length + resources.length + templates.length === 0;
  const amounts = { skill: skills.length, resource: resources.length, template: templates.length };
  const counts = Object.entries(amounts).filter(([, amount]) => amount > 0);
  const contents = LIST.format(counts.map(([one, amount]) => `${amount.toLocaleString('en')} ${amount === 1 ? one : `${one}s`}`));
  return (
    <div class="welcome">
      <Bridge />
      <h1>{empty ? (server.protected ? 'Your roles show nothing' : 'Nothing here yet') : 'Every skill, in every host'}</h1>
      {empty ? (
        <p>
          {server.protected
            ? nothingFor(caller.roles, tools.length > 0)
            : 'This server has no skills or resources yet. They appear here as soon as its operator adds a skills folder.'}
        </p>
      ) : (
        <p>
          {contents}. Choose one from the list
          <span class="by-key">
            , or press <kbd>/</kbd> to search
          </span>
          .
        </p>
      )}
      {unavailable.map(({ server: name, kind, reason }) => (
        <p key={name} class="problem" role="alert">
          Server <strong>{name}</strong> is unavailable ({kind}): {reason}
        </p>
      ))}
      <p class="actions">
        <a class="button primary" href={SETUP}>
          Set up a host
        </a>
        {!empty && (
          <a class="button" href={hashOfTry()}>
            Try get_resource
          </a>
        )}
      </p>
      {pages.length > 0 && (
        <nav class="actions" aria-label="Other pages of this server">
          {pages.map(({ path, title }) => (
            <a key={path} class="button" href={path}>
              {title}
            </a>
          ))}
        </nav>
      )}
      <p class="fine">
        Footbridge {server.version} · <code>{server.endpoint}</code>
      </p>
    </div>
  );
}

function nothingFor(roles: readonly string[], hasTools: boolean): string {
  const held = roles.length === 1 ? `Your role ${roles[0]} includes` : `Your roles ${roles.join(', ')} include`;
  const seen = `${roles.length === 0 ? 'You have no roles, and so' : held} no skills or resources${hasTools ? ', only tools' : ''}.`;
  return `${seen} The operator of this server can give you a role that includes some.`;
}

function Missing({ uri }: { readonly uri: string }) {
  return (
    <div class="welcome">
      <h1>Not found</h1>
      <p>
        <code>{uri}</code> is not in the catalog, or you do not have access to it.
      </p>
      <p class="actions">
        <a class="button" href={CATALOG}>
          Back to the catalog
        </a>
        <a class="button" href={hashOfTry(uri)}>
          Try to read it
        </a>
      </p>
    </div>
  );
}
