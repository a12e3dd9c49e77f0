/** What an operator says of a server's resources: by patterns, since the resources are not theirs to change. */
import { matches } from '../../pattern.js';
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
