/** Every code that a finding of `doctor` can have. Stable: scripts and the documentation go by them. */

interface Explanation {
  /** What is the matter, in one sentence. */
  readonly what: string;
  /** What to do about it. */
  readonly cure: string;
}

const CODES = {
  'node-version': {
    what: 'The Node that runs Footbridge is too old.',
    cure: 'Install Node 20.19 or newer, and make it the one that is found first on the PATH.',
  },
  'cache-folder': {
    what: 'The cache folder cannot be written to, so that each start is slower.',
    cure: 'Make it writable, or name another folder with FOOTBRIDGE_CACHE.',
  },
  configuration: { what: 'The configuration is missing or refused.', cure: 'Correct the file at the place that is named.' },

  'folder-missing': { what: 'A folder of skills that was named does not exist.', cure: 'Create it or correct its name.' },
  'folder-kind': { what: 'What was named as a folder of skills is none.', cure: 'Name the folder that holds the skills.' },
  'folder-name': { what: 'The name of a folder cannot be part of a URI.', cure: 'Rename it without backslashes and control characters.' },
  unreadable: { what: 'A folder or file may not be read.', cure: 'Check its permissions.' },
  'not-a-file': { what: 'Something in a skill is no regular file.', cure: 'Remove it, or replace it with a file.' },
  'file-size': { what: 'A file is larger than is served.', cure: 'Split it, or keep it elsewhere.' },
  'file-name': { what: 'The file of a skill is not named SKILL.md.', cure: 'Rename it to SKILL.md, in capitals.' },
  'frontmatter-missing': {
    what: 'SKILL.md has no frontmatter.',
    cure: 'Begin the file with "---", the fields name and description, and "---" again.',
  },
  yaml: { what: 'The frontmatter is no YAML, so the skill is skipped.', cure: 'Correct the line that is named.' },
  'yaml-colon': { what: 'A value holds ": " without quotes.', cure: 'Put the value in quotes.' },
  'name-missing': { what: 'A skill has no name, so it is skipped.', cure: 'Add the field name.' },
  'name-separator': { what: 'The name of a skill holds a path separator.', cure: 'Rename it without slashes.' },
  'name-format': { what: 'The name of a skill breaks the standard.', cure: 'Use lowercase letters, digits and single hyphens.' },
  'name-folder': { what: 'A skill and its folder have different names.', cure: 'Give both the same name.' },
  'description-missing': { what: 'A skill has no description, so it is skipped.', cure: 'Say what it does and when to use it.' },
  'description-length': { what: 'A description is longer than the standard allows.', cure: 'Move detail into the body of SKILL.md.' },
  'compatibility-length': { what: 'The field compatibility is no text of 1 to 500 characters.', cure: 'Shorten it or leave it out.' },
  'metadata-type': { what: 'The field metadata is no mapping of text to text.', cure: 'Flatten nested values or quote them.' },
  'link-outside': { what: 'A link leads out of the folders that are served.', cure: 'Copy what it points to, or serve that folder too.' },
  'link-broken': { what: 'A link leads nowhere.', cure: 'Remove it or restore its target.' },
  'link-loop': { what: 'A link leads back to a folder above it.', cure: 'Remove it.' },
  'link-target': { what: 'SKILL.md names a file that is not there.', cure: 'Correct the link or add the file.' },
  'skill-size': { what: 'A skill is over the limits of the Skills extension.', cure: 'Remove files that are not needed.' },
  'secret-file': { what: 'A file of a skill has the name of one with secrets.', cure: 'Move it out of the skill.' },
  encoding: { what: 'SKILL.md is not UTF-8.', cure: 'Save it as UTF-8.' },
  'body-length': { what: 'SKILL.md is longer than the standard advises.', cure: 'Move detail into supporting files.' },
  shadowed: { what: 'A skill is not served, since one of the same name comes first.', cure: 'Rename one of the two, or remove one.' },
  'catalogue-budget': {
    what: 'There are more skills than the description of the tool can name in full.',
    cure: 'Shorten descriptions or serve fewer skills; the rest is found by list_skills.',
  },
  locked: { what: 'A skill is withheld, since it is not as it was locked.', cure: 'Look at the change; then run footbridge lock.' },
  'skill-problem': { what: 'Something else is wrong with a skill.', cure: 'Do what the message says.' },

  'server-command': {
    what: 'The command of a server cannot be started.',
    cure: 'Install it, or correct command and cwd in the configuration.',
  },
  'server-ended': {
    what: 'A server ended before it answered.',
    cure: 'Start its command by hand to see why: an argument or a variable may be missing, and it gets only those in env.',
  },
  'server-silent': {
    what: 'A server did not answer in time.',
    cure: 'Start its command by hand to see what it waits for, or set startTimeoutMs if it only needs longer.',
  },
  'server-unreachable': {
    what: 'The URL of a server cannot be reached.',
    cure: 'Start the server, or correct its URL in the configuration.',
  },
  'server-unauthorized': { what: 'A server wants to know who asks.', cure: 'Set or renew the Authorization header under headers.' },
  'server-protocol': { what: 'What answers is no MCP server.', cure: 'Check that the command or URL is that of an MCP server.' },

  'lock-missing': {
    what: 'The configuration says "locked", and there is no lock, so that every skill is withheld.',
    cure: 'Look at what is served, then run footbridge lock.',
  },
  'lock-unreadable': { what: 'The lock cannot be used.', cure: 'Look at what is served, then write it anew with footbridge lock.' },
  'lock-drift': {
    what: 'What is served is not what was locked.',
    cure: 'See what differs with footbridge verify; if it is as it should be, run footbridge lock.',
  },
  'lock-unknown': { what: 'Something could not be held against the lock.', cure: 'Do what the message says, then run footbridge verify.' },

  pack: { what: 'A pack cannot be loaded, and without it nothing is served.', cure: 'Do what the message says, or leave the pack out.' },

  'host-absent': { what: 'The host that was named is not found here.', cure: 'Install it, or see without --host which are here.' },
  'host-file': {
    what: "A host's configuration cannot be read, so that the host sees no server at all.",
    cure: 'Correct it at the place that is named.',
  },
  'host-none': { what: 'A host is here and does not know Footbridge.', cure: 'Add it with footbridge install.' },
  'host-disabled': { what: 'Footbridge is switched off in a host.', cure: 'Switch it on in the host when you want it.' },
  'host-untried': {
    what: "A host's entry has a value that only the host can put in, such as what it asks its user for.",
    cure: 'Look in the host whether it is connected.',
  },
  'host-entry': { what: "A host's entry has neither a command nor a URL.", cure: 'Write it anew with footbridge install.' },
  'host-path': { what: "A host's entry names a program or folder that is not there.", cure: 'Write it anew with footbridge install.' },
  'host-command': {
    what: "The command in a host's entry cannot be started.",
    cure: 'Install it, or write the entry anew with footbridge install.',
  },
  'host-ended': {
    what: 'What a host starts ended before it answered.',
    cure: 'Correct what it wrote about, or write the entry anew with footbridge install.',
  },
  'host-silent': {
    what: 'What a host starts did not answer in time.',
    cure: 'Install it with npm install -g footbridge, then run footbridge install again. With --timeout it is given longer.',
  },
  'host-unreachable': { what: 'Nobody listens at the URL of a host.', cure: 'Start it with footbridge serve --http PORT.' },
  'host-unauthorized': {
    what: "The server does not let in whoever has this entry's headers.",
    cure: 'Make a token with footbridge token NAME, and put it into the headers of the entry.',
  },
  'host-protocol': { what: "What answers in a host's place is no MCP server.", cure: 'Correct the entry; the path of the URL is /mcp.' },
  'host-other': {
    what: "A host's entry for Footbridge leads to another program.",
    cure: 'Write it anew with footbridge install, or give it another name.',
  },
  'host-node-version': {
    what: 'The Node that a host starts is too old.',
    cure: 'Write the full path of Node 20.19 or newer into the entry, or make it the one that the host finds first.',
  },
  'host-slow': {
    what: 'A start takes so long that some hosts ask their model before they have our tools.',
    cure: 'What npx starts is slow, Footbridge or a server behind it: install that with npm install -g, and start it by its own name.',
  },
  'host-road': {
    what: 'Something is served that does not reach the model of a host.',
    cure: 'Switch the tool on again under tools in footbridge.json, or give the server that has its name a prefix.',
  },

  'http-taken': { what: 'The port is taken.', cure: 'Choose another with --http, or end that program.' },
  'http-address': { what: 'Nobody can listen at this address.', cure: 'Choose another with --http.' },
  'http-open': {
    what: 'The address is reachable from other machines, and nobody would have to sign in.',
    cure: 'Make a token with footbridge token NAME and put its entry into footbridge.json.',
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type DoctorCode = keyof typeof CODES;

/** What each code means, and its usual cure. */
export const DOCTOR_CODES: Readonly<Record<DoctorCode, Explanation>> = CODES;

/** Whether a rule of `lint` has a code of its own here. */
export function isDoctorCode(text: string): text is DoctorCode {
  return Object.hasOwn(CODES, text);
}
