/** What hosts do with what a server offers besides tools, which all of them call; of the Skills extension no list speaks yet. */

/** `unknown` where nobody has said it who must know. */
export type Known = 'yes' | 'no' | 'unknown';

/** Whether a host's model or its user gets at what a server offers in this form. */
export interface Roads {
  readonly resources: Known;
  readonly prompts: Known;
}

const NOTHING_KNOWN: Roads = { resources: 'unknown', prompts: 'unknown' };
const known = (resources: Known, prompts: Known): Roads => ({ resources, prompts });

/**
 * By the id of the host. "List" is the list of clients at modelcontextprotocol.io/clients of 2026, which is kept by those who
 * make them: what it does not name for a client that it has, the client does not have. "Seen" is what the program itself did,
 * started from npm with a scripted model. A host that is not here is on neither.
 */
const ROADS: Readonly<Record<string, Roads>> = {
  'claude-code': known('yes', 'yes'), // list; tools seen
  'claude-desktop': known('yes', 'yes'), // list; a person attaches resources
  cline: known('yes', 'no'), // list
  codex: known('yes', 'no'), // list; tools seen
  cursor: known('unknown', 'yes'), // list, which has named resources before, and does not now
  'gemini-cli': known('yes', 'yes'), // list; resources by its own documentation, "MCP resource tools"; tools seen
  'github-copilot-cli': known('no', 'no'), // list; tools seen
  goose: known('yes', 'yes'), // list
  'kilo-code': known('yes', 'no'), // list
  opencode: known('unknown', 'unknown'), // tools seen
  'qwen-code': known('unknown', 'unknown'), // tools seen
  vscode: known('yes', 'yes'), // list
  windsurf: known('no', 'no'), // list
  zed: known('no', 'unknown'), // list, of which there are different copies
};

/** What is known of a host, by its id. */
export function roadsOf(host: string): Roads {
  return Object.hasOwn(ROADS, host) ? (ROADS[host] ?? NOTHING_KNOWN) : NOTHING_KNOWN;
}
