/** The list of items, with search, filters and arrow-key navigation. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useSearch } from '../catalog.js';
import { type Item, KIND_NAMES, type Kind } from '../items.js';
import { hashOfItem } from '../route.js';
import { type Filter, find, grouped, NO_FILTER, valuesOf } from '../search.js';

/** Rendered at once. */
const WINDOW = 200;

export function Listing({ items, current }: { readonly items: readonly Item[]; readonly current: string | undefined }) {
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const [most, setMost] = useState(WINDOW);
  const aside = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const categories = useMemo(() => valuesOf(items, 'category'), [items]);
  const origins = useMemo(() => valuesOf(items, 'origin'), [items]);
  const ranked = useSearch(filter.words);
  const found = useMemo(() => find(items, filter, ranked), [items, filter, ranked]);
  const narrow = (change: Partial<Filter>) => {
    setFilter({ ...filter, ...change });
    setMost(WINDOW);
  };
  useFocusKey(search);
  return (
    <aside
      class="listing"
      aria-label="Skills and resources"
      ref={aside}
      onKeyDown={(event) => aside.current !== null && search.current !== null && walk(event, aside.current, search.current)}
    >
      <search>
        <label for="search" class="hidden">
          Search skills and resources
        </label>
        <div class="search-field">
          <input
            id="search"
            ref={search}
            type="search"
            placeholder="Search"
            autocomplete="off"
            spellcheck={false}
            value={filter.words}
            onInput={(event) => narrow({ words: event.currentTarget.value })}
          />
          <span class="key" aria-hidden="true">
            /
          </span>
        </div>
        <Kinds items={items} chosen={filter.kind} choose={(kind) => narrow({ kind })} />
        <div class="selects">
          <Choice label="Category" values={categories} chosen={filter.category} choose={(category) => narrow({ category })} />
          <Choice label="Origin" values={origins} chosen={filter.origin} choose={(origin) => narrow({ origin })} />
        </div>
      </search>
      <p class="count" role="status">
        {found.length === items.length
          ? `${found.length.toLocaleString('en')} items`
          : `${found.length.toLocaleString('en')} of ${items.length.toLocaleString('en')}`}
      </p>
      {found.length === 0 && items.length > 0 && (
        <div class="empty">
          <p>No matches.</p>
          <button type="button" onClick={() => narrow(NO_FILTER)}>
            Clear search and filters
          </button>
        </div>
      )}
      <nav aria-label="Results">
        <Results items={found.slice(0, most)} ranked={filter.words.trim() !== ''} current={current} />
      </nav>
      {found.length > most && (
        <button type="button" class="more" onClick={() => setMost(most + WINDOW)}>
          Show {Math.min(WINDOW, found.length - most)} more
        </button>
      )}
    </aside>
  );
}

function Results({
  items,
  ranked,
  current,
}: {
  readonly items: readonly Item[];
  readonly ranked: boolean;
  readonly current: string | undefined;
}) {
  const groups = useMemo(() => (ranked ? [{ title: '', items }] : grouped(items)), [items, ranked]);
  return (
    <>
      {groups.map(({ title, items: members }) => (
        <section key={title} aria-label={title === '' ? 'Best matches' : title}>
          {title !== '' && <h2>{title}</h2>}
          <ul>
            {members.map((item) => (
              <li key={item.uri}>
                <a href={hashOfItem(item.uri)} data-result aria-current={item.uri === current ? 'true' : undefined}>
                  <span class="label">
                    {item.label}
                    {ranked && item.kind !== 'skill' && <span class="badge">{KIND_NAMES[item.kind].one}</span>}
                    {item.requiresAdmin && <span class="badge admin">admin</span>}
                  </span>
                  <span class="about" dir="auto">
                    {item.description === '' ? item.uri : item.description}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

const KINDS: readonly Kind[] = ['skill', 'resource', 'template'];

function Kinds({
  items,
  chosen,
  choose,
}: {
  readonly items: readonly Item[];
  readonly chosen: Kind | '';
  readonly choose: (kind: Kind | '') => void;
}) {
  const there = KINDS.filter((kind) => items.some((item) => item.kind === kind));
  if (there.length < 2) return null;
  const radio = (kind: Kind | '', label: string) => (
    <label key={kind}>
      <input type="radio" name="kind" checked={chosen === kind} onChange={() => choose(kind)} />
      <span>{label}</span>
    </label>
  );
  return (
    <fieldset class="kinds">
      <legend class="hidden">Kind</legend>
      {radio('', 'All')}
      {there.map((kind) => radio(kind, KIND_NAMES[kind].many))}
    </fieldset>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly chosen: string;
  readonly choose: (value: string) => void;
}

function Choice({ label, values, chosen, choose }: ChoiceProps) {
  if (values.length === 0 || (values.length === 1 && chosen === '' && label === 'Origin')) return null;
  return (
    <label class="select">
      <span>{label}</span>
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">All</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    </label>
  );
}

/** `/` focuses the search field unless the user is typing. */
function useFocusKey(search: { readonly current: HTMLInputElement | null }): void {
  // From the moment on that the field is seen.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest('input, textarea, select') !== null) return;
      event.preventDefault();
      search.current?.focus();
      search.current?.select();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [search]);
}

/** Arrow keys move between search field and results; Enter in the search field opens the first result. */
function walk(event: KeyboardEvent, aside: HTMLElement, search: HTMLInputElement): void {
  const results = [...aside.querySelectorAll<HTMLAnchorElement>('a[data-result]')];
  const at = results.findIndex((each) => each.matches(':focus'));
  const searching = document.activeElement === search;
  if (!searching && at === -1) return;
  if (event.key === 'Enter' && searching && search.value.trim() !== '') results[0]?.click();
  else if (event.key === 'Escape' && !searching) search.focus();
  else if (event.key === 'ArrowDown') results[at + 1]?.focus();
  else if (event.key === 'ArrowUp' && !searching) (results[at - 1] ?? search).focus();
  else return;
  event.preventDefault();
}
