/** Cases of every entry point. */
import fc from 'fast-check';
import type { Case, Entry } from '../case.js';
import { configCase, hostCase, skillCase } from './files.js';
import { httpCase } from './http.js';
import { stdioCase } from './messages.js';
import { signInCase } from './sign-in.js';
import { lockCase, sourceCase } from './sources.js';
import { toolSearchCase } from './tool-search.js';
import { upstreamCase } from './upstream.js';

const GENERATORS: Readonly<Record<Entry, fc.Arbitrary<Case>>> = {
  stdio: stdioCase,
  http: httpCase,
  skill: skillCase,
  upstream: upstreamCase,
  'tool-search': toolSearchCase,
  'sign-in': signInCase,
  source: sourceCase,
  lock: lockCase,
  config: configCase,
  host: hostCase,
};

/** Cases of these entry points, as many of each. */
export function casesOf(entries: readonly Entry[]): fc.Arbitrary<Case> {
  return fc.oneof(...entries.map((entry) => GENERATORS[entry]));
}
