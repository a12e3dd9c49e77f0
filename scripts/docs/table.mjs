// Tables of markdown.

/** A row for each list of cells, below a head. */
export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');
}

export function code(text) {
  return `\`${text}\``;
}

/** A sentence of the program as markdown: what would be layout there is a character, outside of backticks. */
export function prose(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[*_<[\]]/g, '\\$&')))
    .join('');
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
