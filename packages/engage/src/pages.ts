/** The pages of the pack, as they were built. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/v4';
import type { StepId } from './surface.js';

export type PageName = 'app' | 'connect' | StepId;

const folder = join(import.meta.dirname, 'page');

/** Where a page has the name of the machine that is collected from. */
const MACHINE = '__MACHINE__';

export function page(name: PageName): string {
  return readFileSync(join(folder, `${name}.html`), 'utf8');
}

/** For those who may know which machine this is. */
export function pageWithMachine(name: PageName): string {
  return page(name).replace(MACHINE, () => escaped(hostname()));
}

function escaped(text: string): string {
  return text.replace(/[^\w.-]/g, '');
}

/** What is inline in each page, by hash. */
const Policies = z.record(z.string(), z.object({ script: z.string(), style: z.string() }));

/** For a page that a browser opens by itself: nothing but what it consists of, and nothing from elsewhere. */
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
