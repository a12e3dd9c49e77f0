/** Looks as the host does, as far as it says how. */
import { type Fields, isFields, textIn } from '../../../footbridge/page/json.js';

/** Our variables, and the host's that stand for the same. */
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

/** Takes what a host's context says of theme, colours, fonts and edges; leaves what it does not mention. */
export function adopt(context: Fields): void {
  const { style, dataset } = document.documentElement;
  const theme = textIn(context, 'theme');
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
  const variables = isFields(context['styles']) && isFields(context['styles']['variables']) ? context['styles']['variables'] : {};
  // A ground without the ink that goes with it may not be readable.
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

/** Calls `tell` with the size that the page wants, whenever that changes. */
export function watchSize(tell: (size: { readonly width: number; readonly height: number }) => void): void {
  let before = '';
  const measure = () => {
    const size = { width: Math.ceil(window.innerWidth), height: Math.ceil(document.documentElement.getBoundingClientRect().height) };
    const now = `${size.width}x${size.height}`;
    if (now !== before) tell(size);
    before = now;
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(measure));
  observer.observe(document.documentElement);
}
