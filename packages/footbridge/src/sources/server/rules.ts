/** What an operator says of a server's resources: by patterns, since the resources are not theirs to change. */
import { schemeOf } from '../../uri-template.js';
import type { ResourceTraits } from '../resource.js';

/** A pattern, and what holds for the resources that it matches. `*` matches any run of characters. */
export interface ResourceRule {
  readonly match: string;
  /** Shown in discovery; the server itself decides who may read. */
  readonly requiresAdmin?: boolean;
  readonly category?: string;
}

/** The first rule that says something decides. */
export function traitsOf(rules: readonly ResourceRule[], uri: string): ResourceTraits {
  const fitting = rules.filter(({ match }) => matches(match, uri));
  return {
    category: fitting.find(({ category }) => category !== undefined)?.category ?? schemeOf(uri) ?? 'other',
    requiresAdmin: fitting.find(({ requiresAdmin }) => requiresAdmin !== undefined)?.requiresAdmin ?? false,
  };
}

/** Whether the whole text fits the pattern. Without regular expressions, which a pattern could make slow. */
export function matches(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
