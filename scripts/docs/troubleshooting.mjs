// What `footbridge doctor` can find, by its codes.
import { code, prose, table } from './table.mjs';

/** The part `doctor`, a table of codes, without the rules of skills that the page has a table of already. */
export async function troubleshootingParts(page) {
  const { DOCTOR_CODES } = await import('../../packages/footbridge/dist/cli/doctor/codes.js');
  const rules = new Set(
    [...page.slice(0, page.indexOf('<!-- generated: doctor -->')).matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name),
  );
  const others = Object.entries(DOCTOR_CODES).filter(([name]) => !rules.has(name));
  const rows = others.map(([name, { what, fix }]) => [code(name), prose(what), prose(fix)]);
  return { doctor: table(['Code', 'Cause', 'Fix'], rows) };
}
