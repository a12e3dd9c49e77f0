/** The code blocks of the documentation, and what each is an example of. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export const repository = join(import.meta.dirname, '..', '..', '..', '..');

export function textOfDocument(file: string): string {
  return readFileSync(join(repository, file), 'utf8');
}

/** The pages whose every block is run. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(repository, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export interface Block {
  /** Of the first line of the code. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
}

export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    line: markdown.slice(0, index).split('\n').length + 1,
    language,
    code,
  }));
}

/** A request to a server, and the answer that the page shows. */
export interface Exchange {
  readonly line: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly answer: Block;
}

/** A program that a page shows or starts, with the requests to it until the next program. */
export interface Scene {
  readonly line: number;
  /** The code of the program; a scene without is the file that the page starts, with its arguments. */
  readonly code: Block | undefined;
  readonly command: readonly string[];
  readonly exchanges: readonly Exchange[];
  /** What a program that ends prints. */
  readonly output: Block | undefined;
}

export interface Page {
  readonly file: string;
  readonly scenes: readonly Scene[];
  /** A command with its output. */
  readonly consoles: readonly Block[];
  readonly shells: readonly Block[];
  readonly configurations: readonly Block[];
  readonly settings: readonly Settings[];
  /** Tests that a page shows, for code that it showed before. */
  readonly proofs: readonly Block[];
  /** Workflows of a CI system, or some of their steps. */
  readonly workflows: readonly Block[];
}

/** A `footbridge.json`, and the error if it is rejected. */
export interface Settings {
  readonly line: number;
  readonly file: Block;
  readonly refusal: Block | undefined;
}

/** Sorts the blocks of a page. Throws for one that nothing would check. `running` is the server that the page begins with. */
export function readPage(file: string, running?: readonly string[]): Page {
  const page = {
    file,
    scenes: [] as OpenScene[],
    consoles: [] as Block[],
    shells: [] as Block[],
    configurations: [] as Block[],
    settings: [] as OpenSettings[],
    proofs: [] as Block[],
    workflows: [] as Block[],
  };
  const begin = (line: number, code: Block | undefined, command: readonly string[]) =>
    page.scenes.push({ line, code, command, exchanges: [], output: undefined });
  if (running !== undefined) begin(1, undefined, running);
  const markdown = withoutGenerated(textOfDocument(file));
  const blocks = blocksOf(markdown);
  if ([...markdown.matchAll(/^\s*(?:```|~~~)/gm)].length !== 2 * blocks.length)
    throw new Error(`${file}: a block is indented, or does not end`);
  let asked: Omit<Exchange, 'answer'> | undefined;
  let before: Block | undefined;
  for (const block of blocks) {
    const scene = page.scenes.at(-1);
    const setting = page.settings.at(-1);
    const request = block.language === 'json' ? requestIn(block) : undefined;
    if (asked !== undefined && (request !== undefined || !['json', ''].includes(block.language)))
      throw new Error(`${file}:${asked.line}: no answer follows this call`);
    if (request !== undefined) {
      if (scene === undefined) throw new Error(`${file}:${block.line}: a call, and no server before it`);
      asked = request;
    } else if (asked !== undefined) {
      scene?.exchanges.push({ ...asked, answer: block });
      asked = undefined;
    } else if (block.language === 'ts' && block.code.includes(" from 'footbridge/testing'")) page.proofs.push(block);
    else if (block.language === 'js' || block.language === 'ts') begin(block.line, block, []);
    else if (block.language === 'console') page.consoles.push(block);
    else if (block.language === 'sh') {
      page.shells.push(block);
      const command = /^node (examples\/\S.*)\n$/.exec(block.code)?.[1];
      if (command !== undefined) begin(block.line, undefined, command.split(' '));
    } else if (block.language === 'json' || block.language === 'toml') page.configurations.push(block);
    else if (block.language === 'yaml') page.workflows.push(block);
    else if (block.language === 'jsonc') page.settings.push({ line: block.line, file: block, refusal: undefined });
    else if (block.language === '' && setting !== undefined && setting.file === before) setting.refusal = block;
    else if (block.language === '' && scene?.code !== undefined && scene.code === before) scene.output = block;
    else throw new Error(`${file}:${block.line}: nothing checks a block of the language '${block.language}' here`);
    before = block;
  }
  if (asked !== undefined) throw new Error(`${file}:${asked.line}: no answer follows this call`);
  return page;
}

type OpenSettings = Omit<Settings, 'refusal'> & { refusal: Block | undefined };

type OpenScene = Omit<Scene, 'exchanges' | 'output'> & { exchanges: Exchange[]; output: Block | undefined };

/** A call of a tool, `{ name, arguments }`, or any request, `{ method, params }`. */
function requestIn({ code, line }: Block): Omit<Exchange, 'answer'> | undefined {
  const { name, arguments: given, method, params } = JSON.parse(code);
  if (typeof method === 'string') return { line, method, params };
  return given === undefined ? undefined : { line, method: 'tools/call', params: { name, arguments: given } };
}

/** What the build writes is held against the program as a whole, by tests/reference.program.test.ts; its lines still count. */
function withoutGenerated(markdown: string): string {
  return markdown.replace(/^<!-- (?:generated|recorded): .*?^<!-- end -->$/gms, (part) => part.replace(/[^\n]+/g, ''));
}

/** The cells of each row of the tables between a heading and the next. */
export function rowsBelow(markdown: string, heading: string): string[][] {
  const [, after] = `\n${markdown}`.split(`\n${heading}\n`);
  if (after === undefined) throw new Error(`There is no heading ${heading}`);
  const rows = [...(after.split(/^#/m)[0] ?? '').matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row);
  const cells = rows.map((row) => row.split(/(?<!\\)\|/).map((cell) => cell.trim()));
  // The header and the line below it are not rows.
  return cells.filter((_row, index) => !isRule(cells[index]) && !isRule(cells[index + 1]));
}

function isRule(cells: readonly string[] = []): boolean {
  return cells.length > 0 && cells.every((cell) => /^-+$/.test(cell));
}

/** The files that a document links to, or shows, from the root of the repository. */
export function linksOf(file: string): string[] {
  return linkTexts(file).flatMap((link) => (link.startsWith('#') ? [] : [posix.join(dirname(file), link.split('#')[0] ?? '')]));
}

function linkTexts(file: string): string[] {
  // Indented lines are code.
  return [
    ...textOfDocument(file)
      .replace(/^ {4}.*/gm, '')
      .matchAll(/\]\(([^)\s:]+)\)/g),
  ].map(([, link = '']) => link);
}

/** The targets of broken links in a document. */
export function brokenLinks(file: string, exists: (file: string) => boolean): string[] {
  return linkTexts(file).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : posix.join(dirname(file), path);
    return !exists(target) || (anchor !== undefined && !anchorsOf(textOfDocument(target)).includes(anchor));
  });
}

/** Anchors, as GitHub derives them from headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
