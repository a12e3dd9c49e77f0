/** Configuration snippets per host. They refer to the token by a variable and never contain it. */

export interface HostSetup {
  readonly name: string;
  /** The file or place for the text. */
  readonly where: string;
  readonly text: string;
}

const VARIABLE = 'FOOTBRIDGE_TOKEN';

/** A link that opens a program with the server filled in, for its user to confirm. */
export interface InstallLink {
  readonly label: string;
  readonly href: string;
}

/** As VS Code and Cursor document them. Both ask before they add anything. */
export function installLinks(endpoint: string, isProtected: boolean): readonly InstallLink[] {
  const id = 'footbridge-token';
  const secret = isProtected
    ? {
        headers: { Authorization: `Bearer \${input:${id}}` },
        inputs: [{ type: 'promptString', id, description: 'Footbridge token', password: true }],
      }
    : {};
  const vsCodeEntry = { name: 'footbridge', type: 'http', url: endpoint, ...secret };
  const cursorEntry = { url: endpoint, ...(isProtected ? { headers: { Authorization: `Bearer \${env:${VARIABLE}}` } } : {}) };
  const query = `name=footbridge&config=${encodeURIComponent(base64(JSON.stringify(cursorEntry)))}`;
  return [
    { label: 'Add to VS Code', href: `vscode:mcp/install?${encodeURIComponent(JSON.stringify(vsCodeEntry))}` },
    { label: 'Add to Cursor', href: `cursor://anysphere.cursor-deeplink/mcp/install?${query}` },
  ];
}

/** Of UTF-8: a host name may have any letters. */
function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}

/** Commands for a terminal. */
export function installCommands(endpoint: string, isProtected: boolean): readonly { readonly name: string; readonly text: string }[] {
  const token = isProtected ? ` --token-env ${VARIABLE}` : '';
  return [
    { name: 'All installed hosts', text: `npx footbridge install --url ${endpoint}${token}` },
    { name: 'Claude Code', text: claudeCode(endpoint, isProtected) },
  ];
}

function claudeCode(endpoint: string, isProtected: boolean): string {
  const flag = isProtected ? ` --header "Authorization: Bearer \${${VARIABLE}}"` : '';
  return `claude mcp add --transport http footbridge ${endpoint}${flag}`;
}

export function hostSetups(endpoint: string, isProtected: boolean): readonly HostSetup[] {
  /** `variable` in the host's own syntax. */
  const headers = (variable: string) => (isProtected ? { headers: { Authorization: `Bearer ${variable}` } } : {});
  const flag = isProtected ? ` --header "Authorization: Bearer \${${VARIABLE}}"` : '';
  const braces = `\${${VARIABLE}}`;
  const env = `\${env:${VARIABLE}}`;
  return [
    { name: 'Claude Code', where: 'In a terminal', text: claudeCode(endpoint, isProtected) },
    { name: 'VS Code', where: '.vscode/mcp.json', text: json(vsCode(endpoint, isProtected)) },
    { name: 'Cursor', where: '~/.cursor/mcp.json', text: servers({ url: endpoint, ...headers(env) }) },
    { name: 'Codex', where: '~/.codex/config.toml', text: codex(endpoint, isProtected) },
    { name: 'Gemini CLI', where: '~/.gemini/settings.json', text: servers({ httpUrl: endpoint, ...headers(braces) }) },
    { name: 'Qwen Code', where: '~/.qwen/settings.json', text: servers({ httpUrl: endpoint, ...headers(braces) }) },
    {
      name: 'opencode',
      where: 'opencode.json',
      text: json({ mcp: { footbridge: { type: 'remote', url: endpoint, enabled: true, ...headers(`{env:${VARIABLE}}`) } } }),
    },
    {
      name: 'Zed',
      where: `settings.json${isProtected ? '; Zed does not expand variables here, so insert the token itself' : ''}`,
      text: json({ context_servers: { footbridge: { url: endpoint, ...headers('<token>') } } }),
    },
    { name: 'Windsurf', where: '~/.codeium/windsurf/mcp_config.json', text: servers({ serverUrl: endpoint, ...headers(env) }) },
    {
      name: 'Claude Desktop',
      where: 'claude_desktop_config.json, through mcp-remote',
      text: servers(claudeDesktop(endpoint, isProtected)),
    },
    { name: 'Any other host', where: 'Its JSON configuration', text: servers({ type: 'http', url: endpoint, ...headers(braces) }) },
    {
      name: 'MCP Inspector',
      where: 'In a terminal; lists the tools',
      text: `npx @modelcontextprotocol/inspector@2 --cli ${endpoint} --transport http --method tools/list${flag}`,
    },
  ];
}

function servers(entry: object): string {
  return json({ mcpServers: { footbridge: entry } });
}

function vsCode(url: string, isProtected: boolean): object {
  const entry = { type: 'http', url };
  if (!isProtected) return { servers: { footbridge: entry } };
  const id = 'footbridge-token';
  return {
    inputs: [{ type: 'promptString', id, description: 'Footbridge token', password: true }],
    servers: { footbridge: { ...entry, headers: { Authorization: `Bearer \${input:${id}}` } } },
  };
}

function claudeDesktop(endpoint: string, isProtected: boolean): object {
  const args = ['-y', 'mcp-remote', endpoint];
  if (!isProtected) return { command: 'npx', args };
  // No space in the argument: on Windows it would be split there.
  return { command: 'npx', args: [...args, '--header', `Authorization:\${FOOTBRIDGE_AUTH}`], env: { FOOTBRIDGE_AUTH: 'Bearer <token>' } };
}

function codex(endpoint: string, isProtected: boolean): string {
  return [`[mcp_servers.footbridge]`, `url = "${endpoint}"`, ...(isProtected ? [`bearer_token_env_var = "${VARIABLE}"`] : [])].join('\n');
}

function json(value: object): string {
  return JSON.stringify(value, undefined, 2);
}
