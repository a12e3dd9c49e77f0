// What `footbridge doctor` can find, by its codes.
import { code, prose, table } from './table.mjs';

/** The part `doctor`, a table of codes. */
export async function troubleshootingParts() {
  const { DOCTOR_CODES } = await import('../../packages/footbridge/dist/cli/doctor/codes.js');
  const rows = Object.entries(DOCTOR_CODES).map(([name, { what, fix }]) => [code(name), prose(what), prose(fix)]);
  return { doctor: table(['Code', 'Cause', 'Fix'], rows) };
}
