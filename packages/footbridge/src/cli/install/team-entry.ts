/** The entry of a team server: its URL in the host's own format, and the token as a reference to a variable. */
import type { HostPlace } from '../hosts/index.js';
import { hostLibrary, type LibraryServer } from '../hosts/library.js';
import type { Surroundings } from '../io.js';
import { HAS_CREDENTIALS, hasCredentials } from '../server-values.js';
import type { StartWords } from '../this-program.js';
import type { FileChange } from './change.js';
import { ownCommand } from './own-command.js';
import type { InstallRequest, OwnEntry } from './plan-install.js';

export interface TeamServer {
  readonly url: string;
  /** The name of the variable with the token. */
  readonly tokenEnv: string | undefined;
}

/** How the hosts that expand variables in headers write one. */
const REFERENCES: Readonly<Record<string, (name: string) => string>> = {
  'claude-code': dollar,
  cursor: ofEnvironment,
  'gemini-cli': dollar,
  goose: dollar,
  'kilo-code': inBraces,
  'kiro-cli': dollar,
  mcporter: dollar,
  opencode: inBraces,
  'qwen-code': dollar,
  vscode: ofEnvironment,
  windsurf: ofEnvironment,
};

function dollar(name: string): string {
  return `\${${name}}`;
}

function ofEnvironment(name: string): string {
  return `\${env:${name}}`;
}

function inBraces(name: string): string {
  return `{env:${name}}`;
}

/** A host that takes no URL, or cannot refer to a variable, starts Footbridge, which connects. */
export async function teamEntry({ host: { id } }: HostPlace, { tokenEnv, url }: TeamServer, start: StartWords): Promise<OwnEntry> {
  const remote: LibraryServer = { type: 'http', url };
  const isSupported = (await hostLibrary()).agents[id]?.supportedTransports.includes('http') === true;
  if (isSupported && tokenEnv === undefined) return { server: remote };
  if (isSupported && tokenEnv !== undefined) {
    if (id === 'codex') return { server: remote, fields: { bearer_token_env_var: tokenEnv } };
    if (id === 'fx') return { server: { ...remote, bearerTokenEnv: tokenEnv } };
    const reference = REFERENCES[id]?.(tokenEnv);
    if (reference !== undefined)
      return {
        server: { ...remote, headers: { Authorization: `Bearer ${reference}` } },
        ...(id === 'goose' ? { fields: { env_keys: [tokenEnv] } } : {}),
      };
  }
  const header = tokenEnv === undefined ? [] : ['--header', `Authorization: Bearer ${dollar(tokenEnv)}`];
  return { server: ownCommand(start, ['wrap', ...header, url]) };
}

/** Undefined without `--url`. Throws for invalid options. */
export function teamServer({ tokenEnv, url }: { readonly url?: string; readonly tokenEnv?: string }): TeamServer | undefined {
  if (url === undefined) {
    if (tokenEnv !== undefined) throw new Error('--token-env requires --url.');
    return undefined;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error('--url: Invalid URL. Use one such as https://mcp.example.org/mcp.');
  if (hasCredentials(url)) throw new Error(`--url: ${HAS_CREDENTIALS} Use --token-env NAME.`);
  if (tokenEnv !== undefined && !/^[A-Za-z_]\w*$/.test(tokenEnv))
    throw new Error('--token-env: Invalid name of a variable. Use one such as TEAM_TOKEN, and put the token into that variable.');
  return { url, tokenEnv };
}

/** What a person has to know about the token. */
export async function teamNotes(
  changes: readonly FileChange[],
  { tokenEnv }: TeamServer,
  { own }: InstallRequest,
  { env }: Pick<Surroundings, 'env'>,
): Promise<readonly string[]> {
  if (tokenEnv === undefined) return [];
  const places = changes.filter(({ action }) => action !== 'refused').flatMap((change) => change.places);
  const started: string[] = [];
  for (const place of places) if ((await own(place)).server.command !== undefined) started.push(place.host.title);
  return [
    ...(env[tokenEnv] === undefined ? [`The variable ${tokenEnv} is not set here. The hosts need it in their environment.\n`] : []),
    ...(started.length === 0
      ? []
      : [`${started.join(', ')}: the entry starts Footbridge, which reads ${tokenEnv} from the environment that the host passes on.\n`]),
  ];
}
