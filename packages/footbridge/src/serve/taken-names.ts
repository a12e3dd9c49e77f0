/** Warns about upstream tools that replace built-in ones of the same name. */
import type { Catalog } from '../catalog/catalog.js';
import type { Log } from '../log.js';
import { reportEvent } from '../sources/upstream/failure.js';
import { type ToolChoice, takenToolNames } from '../surfaces/tools/index.js';

/** Once per name, also for upstreams that connect later. */
export function warnOfTakenNames(catalog: Catalog, tools: ToolChoice, log: Log): void {
  if (!catalog.hasUpstreams) return;
  const reported = new Set<string>();
  const report = () => {
    for (const name of takenToolNames(catalog.snapshot, tools)) {
      if (reported.has(name)) continue;
      log.warn(`An upstream server has a tool '${name}', so the built-in tool of that name is disabled.`);
      reportEvent({ event: 'tool-name-taken', name });
      reported.add(name);
    }
  };
  report();
  catalog.onChange(report);
}
