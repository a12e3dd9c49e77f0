/** `footbridge doctor`: whether all is well, and what to do where it is not. */
import { createEnding } from '../doctor/ending.js';
import { toJson } from '../doctor/json.js';
import { printReport } from '../doctor/print.js';
import { countOf, type DoctorOptions, examine } from '../doctor/report.js';
import type { Io } from '../io.js';
import { withProgress } from '../progress.js';

/** Exit 1 when something does not work. Nothing on the machine is changed, and all that was started is ended. */
export async function doctor(options: DoctorOptions, io: Io): Promise<number> {
  const ending = createEnding();
  try {
    const report = await withProgress('looking…', (tell) => examine(options, ending, (what) => tell(`looking at ${what}…`), io), io);
    if (options.json === true) io.printJson(toJson(report));
    else printReport(report, io);
    return countOf(report, 'error') > 0 ? 1 : 0;
  } finally {
    await ending.end();
  }
}
