/** Whether anything in a folder may have changed, for as little as asking for the times of its files. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files and all folders around them, up to `folder`. */
export function placesOf(folder: string, paths: readonly string[]): readonly string[] {
  const places = new Set([folder]);
  for (const path of paths) for (let place = path; place !== '.'; place = dirname(place)) places.add(join(folder, place));
  return [...places];
}

/** Another text whenever one of the places is not what it was. */
export function signatureOf(places: readonly string[]): string {
  return places.map(stampText).join(' ');
}

function stampText(place: string): string {
  try {
    const stats = statSync(place, { throwIfNoEntry: false });
    return stats === undefined ? '-' : `${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.ino}`;
  } catch {
    return '!';
  }
}
