/** Every code that a finding of `doctor` can have. Stable: scripts and the documentation refer to them. */

/** Rules about skills. Notices bring their own message and fix. */
const SKILL_RULES = [
  'folder-missing',
  'folder-kind',
  'folder-name',
  'unreadable',
  'not-a-file',
  'file-size',
  'file-name',
  'frontmatter-missing',
  'yaml',
  'yaml-colon',
  'yaml-limit',
  'name-missing',
  'name-separator',
  'name-format',
  'name-folder',
  'description-missing',
  'description-length',
  'compatibility-length',
  'metadata-type',
  'frontmatter-aliases',
  'link-outside',
  'link-broken',
  'link-loop',
  'link-target',
  'skill-size',
  'secret-file',
  'encoding',
  'body-length',
  'more-findings',
  'shadowed',
  'catalogue-budget',
  'locked',
  'not-fetched',
  'not-locked',
  'sources-unreadable',
  'store-changed',
] as const;

interface Explanation {
  readonly what: string;
  readonly fix: string;
}

const CODES = {
  'node-version': {
    what: 'Footbridge runs on a version of Node that is too old.',
    fix: 'Install Node 20.19 or newer, and put it first on the PATH.',
  },
  'cache-folder': {
    what: 'The cache folder is not writable, which slows down each start.',
    fix: 'Make it writable, or set FOOTBRIDGE_CACHE to another folder.',
  },
  'cache-open': {
    what: 'The cache folder can be changed by other users, so it is not used, which slows down each start.',
    fix: 'Delete it, or set FOOTBRIDGE_CACHE to a folder of your own.',
  },
  configuration: { what: 'The configuration is missing or invalid.', fix: 'Fix the file at the reported place.' },
  untrusted: {
    what: 'footbridge.json was found in this folder and is not trusted as it is now, so parts of it are not used.',
    fix: 'Review it, then run footbridge trust in its folder.',
  },
  'skill-problem': { what: 'A skill has another problem.', fix: 'Follow the message.' },

  'server-untrusted': {
    what: 'A server was not started, because footbridge.json is not trusted as it is now.',
    fix: 'Review it, then run footbridge trust in its folder.',
  },
  'server-command': {
    what: 'The command of a server could not be started.',
    fix: 'Install it, or correct command and cwd in the configuration.',
  },
  'server-ended': {
    what: 'A server exited before it answered.',
    fix: 'Run its command by hand to see why: an argument or a variable may be missing, and it gets only those in env.',
  },
  'server-silent': {
    what: 'A server did not answer in time.',
    fix: 'Run its command by hand to see what it waits for, or raise startTimeoutMs.',
  },
  'server-unreachable': {
    what: 'The URL of a server cannot be reached.',
    fix: 'Start the server, or correct its URL in the configuration.',
  },
  'server-unauthorized': {
    what: 'A server requires authentication.',
    fix: 'Sign in with footbridge login, or set the Authorization header under headers.',
  },
  'login-ends': { what: 'A login ends soon, and the server does not allow it to be renewed.', fix: 'Sign in again with footbridge login.' },
  'server-protocol': { what: 'The command or URL does not answer as an MCP server.', fix: 'Check that it is the one of an MCP server.' },

  'lock-missing': {
    what: 'The configuration sets "locked" and there is no lock, so every skill is withheld.',
    fix: 'Review what is served, then run footbridge lock.',
  },
  'lock-unreadable': { what: 'The lock cannot be used.', fix: 'Review what is served, then rewrite it with footbridge lock.' },
  'lock-drift': {
    what: 'What is served differs from the lock.',
    fix: 'See the differences with footbridge verify; if they are intended, run footbridge lock.',
  },
  'lock-unknown': { what: 'Something could not be compared with the lock.', fix: 'Follow the message, then run footbridge verify.' },

  pack: { what: 'A pack could not be loaded; nothing is served without it.', fix: 'Follow the message, or remove the pack.' },

  'host-absent': { what: 'The named host is not installed.', fix: 'Install it, or run doctor without --host to list the installed hosts.' },
  'host-file': {
    what: "A host's configuration cannot be read, so the host sees no server at all.",
    fix: 'Fix it at the reported place.',
  },
  'host-none': { what: 'A host has no entry for Footbridge.', fix: 'Add one with footbridge install.' },
  'host-disabled': { what: 'Footbridge is disabled in a host.', fix: 'Enable it in the host if you want it.' },
  'host-untried': {
    what: "A host's entry has a value that only the host can fill in, such as a prompt for its user.",
    fix: 'Check in the host whether it is connected.',
  },
  'host-untrusted': {
    what: 'An entry of this project was not started, because it is not trusted as it is now.',
    fix: 'Review it, then run footbridge trust in this folder.',
  },
  'host-entry': { what: "A host's entry has neither a command nor a valid URL.", fix: 'Rewrite it with footbridge install.' },
  'host-path': { what: "A host's entry names a program or folder that does not exist.", fix: 'Rewrite it with footbridge install.' },
  'host-command': {
    what: "The command in a host's entry could not be started.",
    fix: 'Install it, or rewrite the entry with footbridge install.',
  },
  'host-ended': {
    what: 'The program in an entry exited before it answered.',
    fix: 'Fix what it reported, or rewrite the entry with footbridge install.',
  },
  'host-silent': {
    what: 'The program in an entry did not answer in time.',
    fix: 'Install Footbridge with npm install -g footbridge and run footbridge install again, or raise --timeout.',
  },
  'host-unreachable': {
    what: 'Nothing listens at the URL in an entry.',
    fix: 'Check the URL and your network. On this machine, start the server with footbridge serve --http PORT.',
  },
  'host-unauthorized': {
    what: "The server rejects the credentials in an entry's headers.",
    fix: 'Create a token with footbridge token NAME, and put it into the headers of the entry.',
  },
  'host-protocol': { what: 'The entry does not lead to an MCP server.', fix: 'Correct the entry; the path of the URL is /mcp.' },
  'host-other': {
    what: "A host's entry for Footbridge starts another program.",
    fix: 'Rewrite it with footbridge install, or rename it.',
  },
  'host-node-version': {
    what: 'A host starts a version of Node that is too old.',
    fix: 'Put the full path of Node 20.19 or newer into the entry, or make it the first that the host finds.',
  },
  'host-slow': {
    what: 'Starting takes so long that some hosts call their model before they have our tools.',
    fix: 'npx is slow to start Footbridge or an upstream: install it with npm install -g, and use its own command.',
  },
  'host-road': {
    what: 'Something is served that the model of a host cannot reach.',
    fix: 'Enable the tool under tools in footbridge.json, or set a prefix for the server that uses its name.',
  },

  'http-taken': { what: 'The port is in use.', fix: 'Choose another with --http, or stop the program that uses it.' },
  'http-address': { what: 'The address cannot be listened on.', fix: 'Choose another with --http.' },
  'http-open': {
    what: 'The address is reachable from other machines without authentication.',
    fix: 'Create a token with footbridge token NAME and put its entry into footbridge.json.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type DoctorCode = keyof typeof CODES | (typeof SKILL_RULES)[number];

export const DOCTOR_CODES: Readonly<Partial<Record<DoctorCode, Explanation>>> = CODES;

export function isSkillRule(text: string): text is (typeof SKILL_RULES)[number] {
  return SKILL_RULES.some((rule) => rule === text);
}
