/** What the ranking knows of each tool: its server, and what its name says, which is found out when it is first found. */
import { stem } from './stemmer.js';
import { isStopWord } from './stop-words.js';
import type { Terms } from './terms.js';
import { actionOfName, isChange } from './tool-actions.js';
import { spaced } from './tool-document.js';
import { ToolServers } from './tool-servers.js';
import { eachWord } from './words.js';

interface RankedTool {
  readonly name: string;
  readonly server: string;
  /** The terms in its name that say what it is about: neither its action nor its server. */
  subject: readonly number[] | undefined;
  /** Whether its name says that it changes something. */
  changes: boolean | undefined;
}

/** The tools by id, and by server. */
export class RankedTools {
  readonly #terms: Terms;
  readonly #tools = new Map<number, RankedTool>();
  /** Names consist of few words: by word its stem, unless the word says nothing of what a tool is about. */
  readonly #subjects = new Map<string, string | undefined>();
  readonly servers: ToolServers;

  constructor(terms: Terms) {
    this.#terms = terms;
    this.servers = new ToolServers(terms);
  }

  get(id: number): RankedTool | undefined {
    return this.#tools.get(id);
  }

  add(id: number, name: string, server: string): void {
    this.servers.add(server, id);
    this.#tools.set(id, { name, server, subject: undefined, changes: undefined });
  }

  /** How much of what the name of a tool is about is in a request with these terms; undefined where it says nothing. */
  coverage(id: number, said: ReadonlySet<number>): number | undefined {
    const tool = this.#tools.get(id);
    if (tool === undefined) return undefined;
    tool.subject ??= this.#subjectOf(tool);
    if (tool.subject.length === 0) return undefined;
    let covered = 0;
    for (const term of tool.subject) if (said.has(term)) covered++;
    return covered / tool.subject.length;
  }

  changes(id: number): boolean {
    const tool = this.#tools.get(id);
    if (tool === undefined) return false;
    tool.changes ??= isChange(wordsOf(ownName(tool.name, tool.server)));
    return tool.changes;
  }

  remove(id: number): void {
    this.servers.remove(this.#tools.get(id)?.server ?? '', id);
    this.#tools.delete(id);
  }

  /** Indexes what changed about servers, in steps. */
  updateServers(): Generator<void> {
    return this.servers.update((id) => {
      const { name, server } = this.#tools.get(id) ?? { name: '', server: '' };
      return ownName(name, server);
    });
  }

  #subjectOf({ name, server }: RankedTool): readonly number[] {
    const others = this.servers.get(server)?.stems ?? NO_STEMS;
    const subject = new Set<number>();
    eachWord(ownName(name, server), (word) => {
      const text = this.#stemOf(word);
      if (text !== undefined && !others.includes(text)) subject.add(this.#terms.addStem(text));
    });
    return [...subject];
  }

  #stemOf(word: string): string | undefined {
    if (this.#subjects.has(word)) return this.#subjects.get(word);
    const text = isStopWord(word) || actionOfName(word) !== undefined ? undefined : stem(word);
    if (this.#subjects.size < MAX_WORDS) this.#subjects.set(word, text);
    return text;
  }
}

const NO_STEMS: readonly string[] = [];
/** Names may be hostile. */
const MAX_WORDS = 20_000;

/** The words in the name of a tool without that of its server. */
function ownName(name: string, server: string): string {
  return spaced(name.startsWith(`${server}__`) ? name.slice(server.length) : name);
}

/** In lower case. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  eachWord(text, (word) => words.push(word));
  return words;
}
