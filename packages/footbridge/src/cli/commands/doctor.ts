/** `footbridge doctor`: whether all is well, and what to do where it is not. */
import { createEnding } from '../doctor/ending.js';
import { toJson } from '../doctor/json.js';
import { printReport } from '../doctor/print.js';
import { countOf, type DoctorOptions, examine } from '../doctor/report.js';
import { withProgress } from '../progress.js';
import { printJson } from '../terminal.js';

/** Exit 1 when something does not work. Nothing on the machine is changed, and all that was started is ended. */
export async function doctor(options: DoctorOptions): Promise<number> {
  const ending = createEnding();
  try {
    const report = await withProgress('looking…', (tell) => examine(options, ending, (what) => tell(`looking at ${what}…`)));
    if (options.json === true) printJson(toJson(report));
    else printReport(report);
    return countOf(report, 'error') > 0 ? 1 : 0;
  } finally {
    await ending.end();
  }
}
