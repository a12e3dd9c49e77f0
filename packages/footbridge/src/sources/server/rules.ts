/** An operator's rules for a server's resources. */
import { matches } from '../../pattern.js';
import { schemeOf } from '../../uri-template.js';
import type { ResourceTraits } from '../resource.js';

/** Properties of the resources that match a pattern. `*` matches any run of characters. */
export interface ResourceRule {
  readonly match: string;
  /** Shown in discovery; the server itself decides who may read. */
  readonly requiresAdmin?: boolean;
  readonly category?: string;
}

/** For each property the first matching rule that sets it. */
export function traitsOf(rules: readonly ResourceRule[], uri: string): ResourceTraits {
  const fitting = rules.filter(({ match }) => matches(match, uri));
  return {
    category: fitting.find(({ category }) => category !== undefined)?.category ?? schemeOf(uri) ?? 'other',
    requiresAdmin: fitting.find(({ requiresAdmin }) => requiresAdmin !== undefined)?.requiresAdmin ?? false,
  };
}
