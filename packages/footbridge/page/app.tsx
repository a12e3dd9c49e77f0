/** The page: loads the catalog and shows the view of the current route. */
import { useEffect, useMemo } from 'preact/hooks';
import type { PageData } from '../src/serve/http/page/shapes.js';
import { type CatalogState, type RefreshCatalog, useCatalog } from './catalog.js';
import { itemsOf } from './items.js';
import { Loading, ProblemNote } from './parts/notices.js';
import { type PageRoute, useRoute } from './route.js';
import { keepToken } from './token.js';
import { CatalogView } from './views/catalog.js';
import { Header } from './views/header.js';
import { InsightView } from './views/insight.js';
import { SetupView } from './views/setup.js';
import { SignIn } from './views/sign-in.js';
import { TryView } from './views/try.js';

export function App() {
  const route = useRoute();
  const { state, refresh } = useCatalog();
  const signOut = () => {
    keepToken(undefined);
    // Also clears what is in memory.
    location.reload();
  };
  return (
    <>
      <Header route={route} data={state.status === 'ready' ? state.data : undefined} refresh={refresh} signOut={signOut} />
      {content(state, route, refresh)}
    </>
  );
}

function content(state: CatalogState, route: PageRoute, refresh: RefreshCatalog) {
  if (state.status === 'loading')
    return (
      <main tabIndex={-1}>
        <Loading what="the catalog" />
      </main>
    );
  if (state.status === 'ready')
    return (
      <>
        {state.problem !== undefined && <ProblemNote problem={state.problem} />}
        <Views data={state.data} version={state.version} route={route} />
      </>
    );
  if (state.problem.kind === 'signed-out') return <SignIn problem={state.problem} retry={refresh} />;
  return (
    <main class="alone" tabIndex={-1}>
      <ProblemNote problem={state.problem}>
        <button type="button" class="primary" onClick={() => refresh()}>
          Try again
        </button>
      </ProblemNote>
    </main>
  );
}

interface ViewsProps {
  readonly data: PageData;
  readonly version: number;
  readonly route: PageRoute;
}

function Views({ data, version, route }: ViewsProps) {
  const items = useMemo(() => itemsOf(data), [data]);
  const open = route.view === 'item' ? items.find(({ uri }) => uri === route.uri) : undefined;
  const title = {
    catalog: 'Catalog',
    item: open?.label ?? 'Not found',
    try: 'Try get_resource',
    setup: 'Set up a host',
    insight: 'Insight',
  }[route.view];
  useEffect(() => {
    document.title = `${title} – Footbridge`;
  }, [title]);
  if (route.view === 'setup') return <SetupView data={data} />;
  if (route.view === 'insight') return <InsightView />;
  if (route.view === 'try') return <TryView data={data} uri={route.uri} />;
  return <CatalogView data={data} version={version} items={items} route={route} open={open} />;
}
