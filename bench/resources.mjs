// Resources that all servers of a measure serve.
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { SENTENCES } from './words.mjs';

const MEGABYTE = 1024 * 1024;

const paragraph = (index) => SENTENCES.map((_, offset) => SENTENCES[(index + offset) % SENTENCES.length]).join(' ');

function markdown(length) {
  const sections = [];
  for (let index = 0, written = 0; written < length; index++) {
    const section = `## Section ${index + 1}\n\n${paragraph(index)}\n\n- "quoted" item\n- \`code\` item\n`;
    sections.push(section);
    written += section.length + 1;
  }
  return sections.join('\n').slice(0, length);
}

/** As near to `length` as whole records allow. */
function records(length) {
  const one = (index) => ({ id: index, name: `record-${index}`, active: index % 2 === 0, note: SENTENCES[index % SENTENCES.length] });
  const written = [];
  for (let index = 0, size = 2; ; index++) {
    const record = JSON.stringify(one(index));
    size += record.length + 1;
    if (size > length) return `[${written.join(',')}]`;
    written.push(record);
  }
}

/** One resource of each kind that is measured. */
export const CONTENTS = [
  {
    kind: 'small JSON',
    name: 'settings',
    uri: 'bench://settings',
    mimeType: 'application/json',
    text: JSON.stringify({
      service: 'billing',
      language: 'en',
      regions: ['eu-west', 'us-east'],
      limits: { requests: 1200, seconds: 60, burst: 50 },
      features: { invoices: true, refunds: true, exports: false },
      note: SENTENCES[0],
    }),
  },
  { kind: '1 MB text', name: 'handbook', uri: 'bench://handbook', mimeType: 'text/markdown', text: markdown(MEGABYTE) },
  { kind: '1 MB JSON', name: 'records', uri: 'bench://records', mimeType: 'application/json', text: records(MEGABYTE) },
];

/** `count` small resources, for lists. */
export function listed(count) {
  return Array.from({ length: count }, (_, index) => ({
    name: `item-${index}`,
    uri: `bench://items/${String(index).padStart(6, '0')}`,
    description: SENTENCES[index % SENTENCES.length],
    mimeType: 'text/plain',
    text: `Item ${index}`,
  }));
}

/** Writes each content to a file in a folder. */
export function writeContents(folder) {
  for (const { name, text } of CONTENTS) writeFileSync(join(folder, name), text);
}

/**
 * The resources for a server's argument: `memory` for the contents above as constants, a folder for the same as files that are read
 * each time, as most resources are, or a number of small resources. `load` returns the text of each.
 */
export function resourcesOf(given) {
  const contents = /^\d+$/.test(given) ? listed(Number(given)) : CONTENTS;
  const fromFile = isAbsolute(given);
  return contents.map(({ text, ...resource }) => ({
    ...resource,
    load: fromFile ? () => readFile(join(given, resource.name), 'utf8') : () => text,
  }));
}
