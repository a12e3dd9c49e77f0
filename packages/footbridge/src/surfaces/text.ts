/** Texts of skills, resources and tools, as descriptions and answers quote them. */

/** With white space collapsed. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A text on one line, cut at a word where it is too long. */
export function shorten(text: string, longest: number): string {
  // Of a very long one only the beginning is looked at.
  const start = text.slice(0, MAX_WHITE * longest);
  const line = oneLine(start);
  if (line.length <= longest && start.length === text.length) return line;
  const cut = line.slice(0, longest - 1).toWellFormed();
  const word = cut.lastIndexOf(' ');
  let end = word > longest / 2 ? word : cut.length;
  while (end > 0 && DANGLING.includes(cut[end - 1] ?? '')) end--;
  return `${cut.slice(0, end)}…`;
}

/** Characters, white space included, for each one that is shown. */
const MAX_WHITE = 16;
/** Removed before an ellipsis, half a character included. */
const DANGLING = ' ,;:.-\ufffd';

export function escapeXml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
