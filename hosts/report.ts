/** Writes docs/hosts.md from the results. */
import { checksOf, type HostResult } from './checks.js';
import type { CatalogueRow, FolderRow } from './measure.js';

/** When and with what the results were measured. */
export interface ReportContext {
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly footbridge: string;
}

/** The whole page. The order of the results is the order of the rows. */
export function hostsPage(results: readonly HostResult[], { date, footbridge }: ReportContext): string {
  const checks = results.flatMap(checksOf);
  const failed = checks.filter(({ isPassed }) => !isPassed);
  return `${[
    '# Hosts',
    'What a server offers is not what a model gets: hosts shorten descriptions, withhold tools and cut results. This page shows what reaches the model, measured with the real host programs. `npm run hosts` installs them, drives each in its default settings with a scripted model, and writes this page.',
    `Measured on ${date} with Footbridge ${footbridge}: ${checks.length - failed.length} passed, ${failed.length} failed.`,
    '## Skills that the model knows before its first call',
    'Each cell is the number of skills whose names reach the model, and how many of them come with their whole description. The skills are in a folder that no host reads by itself. A dash means that the host could not be driven.',
    catalogueTable(results, ({ named, described }) => `${number(named)}, ${number(described)}`),
    remarks(results),
    '## Tokens of the first turn',
    'Each cell is the size of the first request to the model, in tokens of four characters, and how many of them Footbridge adds.',
    catalogueTable(results, ({ tokens, added }) => `${number(tokens)}, ${number(added)}`),
    '## Texts that arrive whole',
    'The model loads a text and follows the parts. Each cell is the number of calls that it took to get every character. The lengths are instructions of a skill, loaded with `skill`; the others are files of 60 KB, read with `get_resource` and `get_skill`.',
    textTable(results),
    '## Skill folders that the host reads itself',
    'Footbridge leaves the skills of these folders out of its list, so that the model sees each once.',
    folderTable(results),
    '## How hosts introduce themselves',
    clientTable(results),
    ...(failed.length === 0 ? [] : ['## Failed', failed.map(({ title, detail }) => `- ${cell(title)}: ${cell(detail)}`).join('\n')]),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

function catalogueTable(results: readonly HostResult[], show: (row: CatalogueRow) => string): string {
  const counts = [...new Set(results.flatMap(({ catalogue }) => catalogue.map(({ skills }) => skills)))].sort((a, b) => a - b);
  const rows = results.flatMap((result) => {
    const settings = [...new Set(['', ...result.catalogue.map(({ setting }) => setting)])];
    return settings.map((setting) => [
      `${nameOf(result)}${setting === '' ? '' : `, ${setting}`}`,
      ...counts.map((count) => {
        const row = result.catalogue.find(({ skills, setting: of }) => skills === count && of === setting);
        return row === undefined ? '–' : show(row);
      }),
    ]);
  });
  return table(['Host', ...counts.map((count) => `${number(count)} skills`)], rows);
}

function remarks(results: readonly HostResult[]): string {
  return results
    .filter(({ searchesFirst }) => searchesFirst)
    .map(({ title }) => `${title} withholds the tools of all servers until its model searches for them: its row is after that search.`)
    .join('\n');
}

function textTable(results: readonly HostResult[]): string {
  const titles = [...new Set(results.flatMap(({ texts }) => texts.map(({ title }) => title)))];
  const rows = results.map((result) => [
    nameOf(result),
    ...titles.map((title) => {
      const row = result.texts.find((text) => text.title === title);
      return row === undefined ? '–' : row.isWhole ? number(row.calls) : 'not whole';
    }),
  ]);
  return table(['Host', ...titles], rows);
}

function folderTable(results: readonly HostResult[]): string {
  const list = (folders: readonly FolderRow[]) => folders.map(({ folder }) => `\`${folder}\``).join(', ') || '–';
  const rows = results.map((result) => {
    const native = result.folders.filter(({ isNative }) => isNative);
    const twice = native.filter(({ alone, together }) => together > alone);
    return [nameOf(result), list(native), list(twice)];
  });
  return table(['Host', 'Reads', 'Seen twice'], rows);
}

function clientTable(results: readonly HostResult[]): string {
  const rows = results.map((result) => {
    const client = result.catalogue.find((row) => row.client !== undefined)?.client;
    return [nameOf(result), client === undefined ? '–' : `\`${client.name}\``, client?.protocol ?? '–'];
  });
  return table(['Host', '`clientInfo.name`', 'Protocol revision'], rows);
}

function nameOf({ title, version }: HostResult): string {
  return `${title} ${version}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}

function number(value: number): string {
  return value.toLocaleString('en');
}
