/** The header: navigation, caller, refresh and theme. */
import { useState } from 'preact/hooks';
import type { PageData } from '../../src/serve/http/page/shapes.js';
import type { RefreshCatalog } from '../catalog.js';
import { Logo } from '../parts/logo.js';
import { CATALOG, hashOfTry, INSIGHT, type PageRoute, SETUP } from '../route.js';
import { currentTheme, nextTheme } from '../theme.js';
import { token } from '../token.js';

const THEMES = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const;

export interface HeaderProps {
  readonly route: PageRoute;
  readonly data: PageData | undefined;
  readonly refresh: RefreshCatalog;
  readonly signOut: () => void;
}

export function Header({ route, data, refresh, signOut }: HeaderProps) {
  const [theme, setTheme] = useState(currentTheme());
  const [status, setStatus] = useState('');
  const at = route.view === 'item' ? 'catalog' : route.view;
  const link = (view: typeof at, href: string, label: string) => (
    <a href={href} aria-current={at === view ? 'page' : undefined}>
      {label}
    </a>
  );
  const reload = async () => {
    setStatus('Refreshing');
    await refresh(true);
    setStatus('Up to date');
  };
  return (
    <header class="top">
      <a class="skip" href={location.hash || CATALOG} onClick={skip}>
        Skip to content
      </a>
      <a class="brand" href={CATALOG}>
        <Logo />
        <span>Footbridge</span>
      </a>
      {data !== undefined && (
        <nav aria-label="Views">
          {link('catalog', CATALOG, 'Catalog')}
          {link('try', hashOfTry(), 'Try it')}
          {link('setup', SETUP, 'Set up a host')}
          {data.insight && link('insight', INSIGHT, 'Insight')}
        </nav>
      )}
      <div class="top-right">
        {data !== undefined && (
          <>
            <span class="who" title={data.caller.roles.length === 0 ? 'no roles' : `roles: ${data.caller.roles.join(', ')}`}>
              {data.caller.name}
              {data.caller.admin && <span class="badge admin">admin</span>}
            </span>
            {token() !== undefined && (
              <button type="button" class="quiet" onClick={signOut}>
                Sign out
              </button>
            )}
            <button type="button" class="quiet" onClick={reload}>
              Refresh
            </button>
          </>
        )}
        <button type="button" class="quiet" aria-label={`Theme: ${THEMES[theme].toLowerCase()}`} onClick={() => setTheme(nextTheme())}>
          <ThemeIcon />
          {THEMES[theme]}
        </button>
        <span class="hidden" role="status">
          {status}
        </span>
      </div>
    </header>
  );
}

function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector('main')?.focus();
}

function ThemeIcon() {
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <circle cx="7" cy="7" r="6" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M7 1a6 6 0 0 1 0 12z" fill="currentColor" />
    </svg>
  );
}
