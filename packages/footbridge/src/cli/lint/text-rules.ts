/** Rules about the text of SKILL.md below its frontmatter. */
import { redactShapes } from '../../secrets/shapes.js';
import type { Notice } from '../../sources/source.js';
import { HOST_PROFILES } from '../../surfaces/hosts/profile.js';
import { grouped } from '../terminal.js';
import { eachLine, type FileFinding, type FileFindings } from './findings.js';

type TextFinding = FileFinding & { readonly line: number; readonly column: number };

/** Sentences of the template of `init`, which are not about the skill. */
const TEMPLATE = [
  /\bSays what \S{1,64} does, then when to use it\b/,
  /^State in one sentence what following this skill achieves\.$/,
  /^- Give an example of a request that this skill is for\.$/,
  /^- Give an example of one that it is not for, and say what to do instead\.$/,
  /^1\. Write each step as an instruction, with the exact commands and names\.$/,
  /^2\. Say how to check that a step has worked, and what to do if it has not\.$/,
  /^3\. Move long material into separate files in this folder\b/,
  /^Show one request from beginning to end, and what the result looks like\.$/,
];
/** Placeholders that authors leave. In code they may be intended. */
const UNFINISHED = [
  // A skill may be about them: "a todo list", "find TODO comments".
  /\b(?:TODO|FIXME|TBD|XXX)\b(?! (?:apps?|comments?|items?|lists?|markers?|notes?|tags?)\b)/,
  /\b(?:todo|fixme|tbd):/i,
  /\b(?:lorem ipsum|to be (?:written|completed|added) later|coming soon)\b/i,
  // Templates of others, such as that of anthropics/skills.
  /^#{0,6} ?insert (?:instructions|text|content|examples?) (?:here|below)\b/i,
  /\breplace (?:this )?with (?:a |the |your )?(?:description|instructions|summary)\b/i,
  /\[(?:your|insert|add|describe|placeholder)\b[^[\]\n]{0,80}\](?!\()/i,
  /<(?:your|insert)[ -][^<>\n]{1,80}>/i,
];

/** Adds what is wrong with the lines of a text. */
export async function addTextFindings(text: string, findings: FileFindings): Promise<void> {
  let fence: string | undefined;
  await eachLine(text, (line, number) => {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined;
    for (const finding of lineFindings(line, number, fence !== undefined)) findings.add(finding);
  });
}

function lineFindings(line: string, number: number, isCode: boolean): readonly TextFinding[] {
  const found: TextFinding[] = [];
  const template = TEMPLATE.map((sentence) => sentence.exec(line)?.index).find((at) => at !== undefined);
  if (template !== undefined)
    found.push({
      severity: 'error',
      rule: 'placeholder',
      line: number,
      column: template + 1,
      message: 'This sentence is from the template of footbridge init.',
      action: 'Replace it with what a model needs to know, or remove it.',
    });
  // Code in a line may name such a word on purpose.
  const prose = isCode ? '' : line.replace(/`[^`]{0,200}`/g, (code) => ' '.repeat(code.length));
  const unfinished = UNFINISHED.map((pattern) => pattern.exec(prose)).find((match) => match !== null);
  if (unfinished !== undefined)
    found.push({
      severity: 'warning',
      rule: 'placeholder',
      line: number,
      column: unfinished.index + 1,
      message: `"${unfinished[0]}" looks unfinished.`,
      action: 'Write what is missing, or remove it.',
    });
  const secret = secretFinding(line, number);
  return secret === undefined ? found : [...found, secret];
}

/** The first secret in a line. */
export function secretFinding(line: string, number: number): TextFinding | undefined {
  const secret = secretAt(line);
  if (secret === undefined) return undefined;
  return {
    severity: 'warning',
    rule: 'secret-text',
    line: number,
    column: secret + 1,
    message: 'This looks like a secret, and every model and host that reads the skill gets it.',
    action: 'Remove it, revoke it, and name a variable instead.',
  };
}

function secretAt(line: string): number | undefined {
  const hidden = redactShapes(line);
  if (hidden === line) return undefined;
  let at = 0;
  while (line[at] === hidden[at]) at++;
  return at;
}

/** Words that express when to use a skill. */
const WHEN =
  /\b(?:when|whenever|while|before|after|during|if|unless|trigger(?:s|ed)?|invoke|activate)\b|\b(?:use|uses|used|useful|call|apply|load|choose|read|run) (?:this|it|for|to|in|on|with|by|as|proactively|immediately|the)\b|\bfor (?:requests|tasks|questions|anyone|users|people|working|creating|building|writing|any|all)\b|\bmust be used\b/i;

const ENGLISH = /\b(?:the|a|an|and|of|for|with|to|in|or)\b/i;
/** Words of other languages that introduce when to use a skill. */
const WHEN_ELSEWHERE =
  /\b(?:bei|beim|wenn|falls|zum|zur|pour|quand|lorsque|si|cuando|para|al|se|per|ao|wanneer|als|bij|voor|om|ved|hvis|gdy|dla|do|przy|pri)\b/i;
const FEW = 4;

/** Undefined for descriptions in other languages, which this cannot judge. */
export function whenFinding(description: string): Pick<Notice, 'severity' | 'rule' | 'message' | 'action'> | undefined {
  const words = description.match(/\p{L}+/gu) ?? [];
  // A few words without such a word do not say when, in any language.
  const isEnglish =
    words.length > 0 &&
    (ENGLISH.test(description) || (words.length <= FEW && /^[\x20-\x7e]*$/.test(description) && !WHEN_ELSEWHERE.test(description))) &&
    /^[\x20-\x7e\s]{8,}/.test(description);
  if (!isEnglish || WHEN.test(description)) return undefined;
  return {
    severity: 'warning',
    rule: 'description-when',
    message: 'The description does not say when to use the skill, and models decide by the description alone.',
    action: 'Add a sentence such as "Use when someone asks for …".',
  };
}

/** Hosts that would truncate a text of this length. */
export function lengthFinding(text: string): Pick<Notice, 'severity' | 'rule' | 'message' | 'action'> | undefined {
  const limits = Object.values(HOST_PROFILES)
    .filter(({ measured, result }) => measured !== undefined && text.length > result)
    .sort((one, other) => one.result - other.result)
    .map(({ host, result }) => `${host} (${grouped(result)})`);
  if (limits.length === 0) return undefined;
  return {
    severity: 'warning',
    rule: 'host-limit',
    message: `SKILL.md has ${grouped(text.length)} characters, more than these hosts pass on at once: ${[...new Set(limits)].join(', ')}.`,
    action: 'Footbridge sends it in parts. To have it arrive at once, move details into supporting files.',
  };
}
