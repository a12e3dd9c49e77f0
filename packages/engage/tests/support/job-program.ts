/** A child process for the owner "ann": `job-program STATE-FOLDER TASK`. Prints JSON lines. */
import * as z from 'zod/v4';
import { toFailure } from '../../src/failure.js';
import { References } from '../../src/references.js';
import { Artifacts } from '../../src/sos/artifacts.js';
import { Jobs } from '../../src/sos/jobs.js';

const TASK = z.object({ start: z.object({ onlyPlugins: z.array(z.string()).optional() }).optional(), fetch: z.string().optional() });

const [stateFolder = '', task = '{}'] = process.argv.slice(2);
const { start, fetch } = TASK.parse(JSON.parse(task));
const references = await References.open(stateFolder);
const print = (value: unknown) => console.log(JSON.stringify(value));
try {
  if (start !== undefined) {
    const jobs = new Jobs({ stateFolder, references, timeoutMs: 60_000 });
    const { jobId } = await jobs.start('ann', start);
    print({ jobId });
    print(await jobs.wait('ann', jobId, { milliseconds: 60_000 }));
  }
  if (fetch !== undefined) print(await new Artifacts({ stateFolder, references }).fetch('ann', fetch));
} catch (cause) {
  const { code, message } = toFailure(cause);
  print({ code, message });
}
