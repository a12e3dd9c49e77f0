// Makes the pages of the Engage pack: HTML files that hold all of their script and style, and the hashes that a policy allows them by.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageScript, pageStyle } from './page.mjs';

const STEPS = ['select-product', 'sos-report', 'jira-attach'];
/** Of the catalog page, whose family these are. */
const SHARED_STYLES = ['1-ground.css', '2-controls.css'];

/** Writes the pages of `source` into `target`, with `policies.json`; returns the modules that are in them. */
export async function bundleEngagePage(source, target) {
  const style = styleOf(source);
  const app = await pageScript(source, 'main.tsx');
  const connect = await pageScript(source, 'connect/main.tsx');
  const whole = inlined(readFileSync(join(source, 'app.html'), 'utf8'), app.code, style);
  const pages = {
    'app.html': whole,
    ...Object.fromEntries(STEPS.map((step) => [`${step}.html`, replaced(whole, /data-step="[^"]*"/, `data-step="${step}"`)])),
    // In the source the place of the invitation is a JSON text, as every script of that type has to be.
    'connect.html': replaced(
      inlined(readFileSync(join(source, 'connect.html'), 'utf8'), connect.code, style),
      '"__INVITATION__"',
      '__INVITATION__',
    ),
  };
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [name, html] of Object.entries(pages)) writeFileSync(join(target, name), html);
  const policies = Object.fromEntries(Object.entries(pages).map(([name, html]) => [name, hashesIn(html)]));
  writeFileSync(join(target, 'policies.json'), `${JSON.stringify(policies, null, 2)}\n`);
  return [...app.modules, ...connect.modules];
}

function styleOf(source) {
  const shared = join(source, '..', '..', 'footbridge', 'page', 'styles');
  const own = join(source, 'styles');
  return pageStyle([
    ...SHARED_STYLES.map((name) => join(shared, name)),
    ...readdirSync(own)
      .sort()
      .map((name) => join(own, name)),
  ]);
}

function inlined(html, script, style) {
  // Within a script element these would end it, or hide its end.
  const safe = script.trim().replaceAll('</script', '<\\/script');
  if (safe.includes('<!--') || style.includes('</')) throw new Error('the page holds a text that HTML takes for something else');
  const styled = replaced(html, /<link rel="stylesheet"[^>]*>/, `<style>${style}</style>`);
  return replaced(styled, /<script type="module"[^>]*><\/script>/, `<script type="module">${safe}</script>`);
}

function replaced(html, what, by) {
  const result = html.replace(what, () => by);
  if (result === html && !html.includes(by)) throw new Error(`the page has no ${what}`);
  return result;
}

/** As a Content-Security-Policy names the one script and the one style sheet of a page. */
function hashesIn(html) {
  return {
    script: hash(/<script type="module">([\s\S]*?)<\/script>/.exec(html)),
    style: hash(/<style>([\s\S]*?)<\/style>/.exec(html)),
  };
}

function hash(match) {
  return `sha256-${createHash('sha256').update(match[1]).digest('base64')}`;
}
