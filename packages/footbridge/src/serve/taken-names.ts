/** Says that a server behind us has a tool by a name of ours, so that ours is not there. */
import type { Catalog } from '../catalog/catalog.js';
import type { Log } from '../log.js';
import { reportEvent } from '../sources/upstream/report.js';
import { type ToolChoice, takenToolNames } from '../surfaces/tools/index.js';

/** Once for each name, also for servers that come later. */
export function warnOfTakenNames(catalog: Catalog, tools: ToolChoice, log: Log): void {
  if (!catalog.hasUpstreams) return;
  const told = new Set<string>();
  const look = () => {
    for (const name of takenToolNames(catalog.snapshot, tools)) {
      if (told.has(name)) continue;
      log.warn(`A server has a tool '${name}' of its own, so Footbridge adds none of that name.`);
      reportEvent({ event: 'tool-name-taken', name });
      told.add(name);
    }
  };
  look();
  catalog.onChange(look);
}
