/** Markdown tokens as nodes. Nothing is ever parsed as HTML. */
import type { MarkedToken, Token, Tokens } from 'marked';
import { type ComponentChild, h } from 'preact';
import { hashOfItem } from '../route.js';
import { decodeEntities } from './entities.js';
import { SkillImage } from './image.js';
import { destinationOf, type LinkBase, slugOf } from './links.js';

/** The context for resolving links. */
export interface RenderContext {
  readonly place: LinkBase | undefined;
  readonly isKnown: (uri: string) => boolean;
}

/** Deeper tokens are shown as source. */
const DEEPEST = 60;

export function render(tokens: readonly Token[], around: RenderContext, depth = 0): ComponentChild[] {
  return tokens.map((token) => (depth <= DEEPEST && isStandard(token) ? node(token, around, depth + 1) : token.raw));
}

/** Excludes tokens of extensions, of which none are used. */
function isStandard(token: Token): token is MarkedToken {
  return STANDARD.has(token.type);
}

const STANDARD: ReadonlySet<string> = new Set<MarkedToken['type']>([
  'space',
  'def',
  'heading',
  'paragraph',
  'text',
  'escape',
  'strong',
  'em',
  'del',
  'br',
  'hr',
  'codespan',
  'code',
  'blockquote',
  'list',
  'table',
  'link',
  'image',
  'html',
  'checkbox',
]);

function node(token: MarkedToken, around: RenderContext, depth: number): ComponentChild {
  const inner = (tokens: readonly Token[] | undefined, text: string) =>
    tokens === undefined || tokens.length === 0 ? decodeEntities(text) : render(tokens, around, depth);
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return heading(token, inner(token.tokens, token.text));
    case 'paragraph':
      return h('p', null, inner(token.tokens, token.text));
    case 'text':
      return inner(token.tokens, token.text);
    case 'escape':
      return token.text;
    case 'strong':
    case 'em':
    case 'del':
      return h(token.type, null, inner(token.tokens, token.text));
    case 'br':
      return h('br', null);
    case 'hr':
      return h('hr', null);
    case 'codespan':
      return h('code', null, token.text);
    case 'code':
      return h('pre', { tabIndex: 0 }, h('code', null, token.text));
    case 'blockquote':
      return h('blockquote', null, render(token.tokens, around, depth));
    case 'list':
      return list(token, around, depth);
    case 'table':
      return table(token, around, depth);
    case 'link':
      return link(token, inner(token.tokens, token.text), around);
    case 'image':
      return image(token, around);
    case 'html':
      return markup(token.raw);
    case 'checkbox':
      return h('input', { type: 'checkbox', checked: token.checked, disabled: true, 'aria-label': token.checked ? 'done' : 'to do' });
    default:
      return token.raw;
  }
}

/** One level lower: the page has the h1. */
function heading({ depth, text }: Tokens.Heading, children: ComponentChild): ComponentChild {
  return h(`h${Math.min(6, depth + 1)}`, { id: `in-text-${slugOf(text)}`, tabIndex: -1 }, children);
}

function list({ ordered, start, items }: Tokens.List, around: RenderContext, depth: number): ComponentChild {
  const children = items.map((item) => h('li', item.task ? { class: 'task' } : null, render(item.tokens, around, depth)));
  return ordered ? h('ol', typeof start === 'number' && start !== 1 ? { start } : null, children) : h('ul', null, children);
}

function table({ header, rows }: Tokens.Table, around: RenderContext, depth: number): ComponentChild {
  const cell = (tag: 'th' | 'td', { tokens, align }: Tokens.TableCell) =>
    h(
      tag,
      { ...(tag === 'th' ? { scope: 'col' } : {}), ...(align === null ? {} : { class: `align-${align}` }) },
      render(tokens, around, depth),
    );
  return h(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': 'Table' },
    h('table', null, [
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          header.map((each) => cell('th', each)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((row) =>
          h(
            'tr',
            null,
            row.map((each) => cell('td', each)),
          ),
        ),
      ),
    ]),
  );
}

function link({ href }: Tokens.Link, children: ComponentChild, { place, isKnown }: RenderContext): ComponentChild {
  const destination = destinationOf(href, place, isKnown);
  switch (destination.kind) {
    case 'web':
      return h('a', { href: destination.href, target: '_blank', rel: 'noopener noreferrer', title: destination.href }, children);
    case 'item':
      return h('a', { href: hashOfItem(destination.uri) }, children);
    case 'file':
      return h('a', { href: hashOfItem(place?.uri ?? '', 'content', destination.path) }, children);
    case 'heading':
      return h('a', { href: location.hash, onClick: (event: MouseEvent) => scrollTo(event, destination.slug) }, children);
    case 'none':
      return h('span', { class: 'no-link', title: `Not a link that this page follows: ${decodeEntities(href)}` }, children);
  }
}

function scrollTo(event: MouseEvent, slug: string): void {
  event.preventDefault();
  const found = document.getElementById(`in-text-${slugOf(slug)}`);
  found?.scrollIntoView();
  found?.focus({ preventScroll: true });
}

/** Only from the skill itself: a remote image would reveal the reader to its server. */
function image({ href, text }: Tokens.Image, { place, isKnown }: RenderContext): ComponentChild {
  const destination = destinationOf(href, place, isKnown);
  const alt = decodeEntities(text);
  if (destination.kind === 'file' && place !== undefined) return <SkillImage uri={place.uri} path={destination.path} alt={alt} />;
  const name = `Image: ${alt === '' ? 'without a description' : alt}`;
  if (destination.kind !== 'web') return <span class="no-link">{name}</span>;
  return (
    <a href={destination.href} target="_blank" rel="noopener noreferrer" title={destination.href}>
      {name}
    </a>
  );
}

/** HTML as source, without comments; `<br>` is a line break. */
function markup(raw: string): ComponentChild {
  const rest = raw.replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  if (rest.trim() === '') return null;
  return /^<br\s*\/?>$/i.test(rest.trim()) ? h('br', null) : h('code', { class: 'markup' }, rest.trimEnd());
}
