/** The colour theme. */
import { browserMemory } from './memory.js';

export type Theme = 'auto' | 'light' | 'dark';

const KEY = 'footbridge-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { auto: 'light', light: 'dark', dark: 'auto' };

export function currentTheme(): Theme {
  const kept = browserMemory.get(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

/** Switches to the next theme and stores it. */
export function nextTheme(): Theme {
  const theme = NEXT[currentTheme()];
  browserMemory.set(KEY, theme);
  applyTheme();
  return theme;
}

export function applyTheme(): void {
  const theme = currentTheme();
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
