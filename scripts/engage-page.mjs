// Builds the pages of the Engage pack: HTML files with inline script and style, and the hashes for their Content-Security-Policy.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pageScript, pageStyle } from './page.mjs';

const STEPS = ['select-product', 'sos-report', 'jira-attach'];
/** Style sheets shared with the catalog page. */
const SHARED_STYLES = ['1-ground.css', '2-controls.css'];

/** Writes the pages of `source` and `policies.json` into `target`; returns the bundled modules. */
export async function bundleEngagePage(source, target) {
  const style = styleOf(source);
  const app = await pageScript(source, 'main.tsx');
  const connect = await pageScript(source, 'connect/main.tsx');
  const whole = inlined(readFileSync(join(source, 'app.html'), 'utf8'), app.code, style);
  const pages = {
    'app.html': whole,
    ...Object.fromEntries(STEPS.map((step) => [`${step}.html`, replaced(whole, /data-step="[^"]*"/, `data-step="${step}"`)])),
    // In the source the placeholder is a JSON string, because a script of that type must be valid JSON.
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
  // These would end the script element early, or hide its end.
  const safe = script.trim().replaceAll('</script', '<\\/script');
  if (safe.includes('<!--') || style.includes('</')) throw new Error('The page contains text that HTML would parse as markup.');
  const styled = replaced(html, /<link rel="stylesheet"[^>]*>/, `<style>${style}</style>`);
  return replaced(styled, /<script type="module"[^>]*><\/script>/, `<script type="module">${safe}</script>`);
}

function replaced(html, what, by) {
  const result = html.replace(what, () => by);
  if (result === html && !html.includes(by)) throw new Error(`The page does not contain ${what}.`);
  return result;
}

/** The hashes of a page's script and style sheet, as a Content-Security-Policy lists them. */
function hashesIn(html) {
  return {
    script: hash(/<script type="module">([\s\S]*?)<\/script>/.exec(html)),
    style: hash(/<style>([\s\S]*?)<\/style>/.exec(html)),
  };
}

function hash(match) {
  return `sha256-${createHash('sha256').update(match[1]).digest('base64')}`;
}
