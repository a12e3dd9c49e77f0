/** `footbridge doctor`: checks everything and reports what to fix. */
import { createCleanup } from '../doctor/cleanup.js';
import { printReport } from '../doctor/print.js';
import { countOf, type DoctorOptions, examine, toJson } from '../doctor/report.js';
import type { Io } from '../io.js';
import { withProgress } from '../progress.js';

/** Exit 1 when something does not work. Changes nothing on the machine, and ends everything it started. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const cleanup = createCleanup();
  try {
    const report = await withProgress('checking…', (show) => examine(options, cleanup, (what) => show(`checking ${what}…`), io), io);
    if (options.json === true) io.printJson(toJson(report));
    else printReport(report, io);
    return countOf(report, 'error') > 0 ? 1 : 0;
  } finally {
    await cleanup.run();
  }
}
