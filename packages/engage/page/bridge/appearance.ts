/** Applies the theme of the host. */
import { type Fields, isFields, textIn } from '../../../footbridge/page/json.js';

/** CSS variables of the page and of the host. */
const SAME: Readonly<Record<string, string>> = {
  '--ground': '--color-background-primary',
  '--surface': '--color-background-primary',
  '--sunken': '--color-background-secondary',
  '--ink': '--color-text-primary',
  '--soft': '--color-text-secondary',
  '--line': '--color-border-primary',
};
const FONTS: Readonly<Record<string, string>> = { '--sans': '--font-sans', '--mono': '--font-mono' };
const EDGES = ['top', 'right', 'bottom', 'left'] as const;

/** Applies theme, colours, fonts and insets from the host context, if given. */
export function adopt(context: Fields): void {
  const { style, dataset } = document.documentElement;
  const theme = textIn(context, 'theme');
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
  const variables = isFields(context['styles']) && isFields(context['styles']['variables']) ? context['styles']['variables'] : {};
  // A background without its text colour may be unreadable.
  if (Object.values(SAME).every((name) => CSS.supports('color', textIn(variables, name) ?? ''))) take(SAME);
  take(FONTS);
  const insets = isFields(context['safeAreaInsets']) ? context['safeAreaInsets'] : {};
  for (const edge of EDGES) if (typeof insets[edge] === 'number') style.setProperty(`--inset-${edge}`, `${insets[edge]}px`);

  function take(names: Readonly<Record<string, string>>) {
    for (const [ours, theirs] of Object.entries(names)) {
      const value = textIn(variables, theirs);
      if (value !== undefined) style.setProperty(ours, value);
    }
  }
}

/** Calls `report` whenever the size of the page changes. */
export function watchSize(report: (size: { readonly width: number; readonly height: number }) => void): void {
  let before = '';
  const measure = () => {
    const size = { width: Math.ceil(window.innerWidth), height: Math.ceil(document.documentElement.getBoundingClientRect().height) };
    const now = `${size.width}x${size.height}`;
    if (now !== before) report(size);
    before = now;
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(measure));
  observer.observe(document.documentElement);
}
