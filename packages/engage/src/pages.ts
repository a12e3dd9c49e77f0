/** The built pages of the pack. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/v4';
import type { StepId } from './surface.js';

export type PageName = 'app' | 'connect' | StepId;

const folder = join(import.meta.dirname, 'page');

/** Placeholder for the host name. */
const MACHINE = '__MACHINE__';

export function page(name: PageName): string {
  return readFileSync(join(folder, `${name}.html`), 'utf8');
}

/** With the host name, for authenticated callers. */
export function pageWithMachine(name: PageName): string {
  return page(name).replace(MACHINE, () => hostname().replace(/[^\w.-]/g, ''));
}

/** CSP hashes of each page's inline script and style. */
const Policies = z.record(z.string(), z.object({ script: z.string(), style: z.string() }));

/** Headers for a page opened directly in a browser: only its own inline script and style may run. */
export function pageHeaders(name: PageName): Readonly<Record<string, string>> {
  const { [`${name}.html`]: own } = Policies.parse(JSON.parse(readFileSync(join(folder, 'policies.json'), 'utf8')));
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `script-src '${own?.script}'`,
      `style-src '${own?.style}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}
