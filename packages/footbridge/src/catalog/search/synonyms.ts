/** Words that can stand for others, as people and authors of skills use them. */
import { HINTS } from './hints.js';
import { IRREGULAR } from './irregular.js';
import { stem } from './stemmer.js';
import { TOOL_HINTS } from './tool-hints.js';

/** Words that mean the same here, a group a line. Several words in quotes are one. */
export const SYNONYMS = `
kubernetes k8s kubectl
javascript js ecmascript
typescript ts
python py
golang go
"c#" csharp dotnet
"c++" cpp
postgresql postgres psql
mongodb mongo
elasticsearch opensearch
database db
databases dbs
spreadsheet excel xlsx xls workbook
slide pptx powerpoint presentation deck slideshow keynote
docx word
pr "pull request" "merge request"
ci "continuous integration"
ui interface gui
ux usability "user experience"
a11y accessibility wcag accessible
i18n internationalization
l10n localization translation translate
auth authentication login signin "sign in" "log in"
authz authorization permission rbac
ml "machine learning"
llm "language model" gpt
ai "artificial intelligence"
rag "retrieval augmented"
nlp "natural language"
api endpoint
regex regexp "regular expression"
repo repository
config configuration configure
env environment
vulnerability cve exploit
aws amazon
gcp "google cloud"
email mail
inbox mailbox
photo picture image
video movie clip footage recording
transcribe transcription transcript
subtitle caption
chart graph plot visualization
diagram flowchart
e2e "end to end"
tdd "test driven"
bug defect
debug debugging troubleshoot troubleshooting diagnose diagnostic
outage incident downtime
slow sluggish latency
fast faster speed performance
contract agreement
nda confidentiality
seo "search engine"
ads advertising advertisement
blog article
tweet twitter
cv resume
salary compensation
employee staff
competitor rival competitive
customer buyer client
prospect lead outreach
price pricing
summary summarize recap digest
experiment "a b" ab
forecast forecasting predict prediction
realtime websocket
iphone ios
css stylesheet styling
secret credential password
scrape scraping crawler crawl
browser chromium chrome
shell bash terminal
docs documentation
trip travel itinerary
meal recipe cooking cook
workout exercise fitness
questionnaire survey
backup restore recovery
timezone "time zone"
ticket jira
agent bot assistant chatbot
mock fake stub
parallel concurrent simultaneous
delete remove erase
redact anonymize
hire hiring recruit recruiting candidate
refund chargeback
shipment freight shipping
electricity power energy
investor fundraising vc
website site webpage
phone mobile smartphone
notification notify alert
store shop ecommerce
proofread copyedit grammar
duplicate dedupe deduplicate
spec specification
dependency package library
lint linter
latex tex
pcb circuit
colour color
`;

/** How well another word stands for one: a form of it, the same, or what a request with the word, or with the name of a product, may be about. */
export type Closeness = 'form' | 'same' | 'hint' | 'product';

/** What can stand for a word: the stems of one or more words. */
export interface Synonym {
  readonly stems: readonly string[];
  readonly closeness: Closeness;
}

/** A word or several as they are written above, and what stands for it, not yet split into words. */
interface Line {
  readonly word: string;
  readonly others: string;
  readonly closeness: Closeness;
}

/** Letters by which lines are looked up. */
const BEGINNING = 2;
/** Stems that are remembered: the rest of a hostile query is looked up again. */
const MOST_REMEMBERED = 10_000;

/** What can stand for the stem of a word, or for those of several, joined by a blank. */
export const synonymsOf = thesaurus({ hint: HINTS, product: TOOL_HINTS });

/** Lists of words and what they lead to. */
type Hints = Readonly<Partial<Record<Closeness, string>>>;

/** A function that finds what can stand for stems: words that mean the same anywhere, and `hints`. */
export function thesaurus(hints: Hints): (stems: string) => readonly Synonym[] {
  let lines: ReadonlyMap<string, readonly Line[]> | undefined;
  const remembered = new Map<string, readonly Synonym[]>();
  return (stems) => {
    const known = remembered.get(stems);
    if (known !== undefined) return known;
    lines ??= readLines(hints);
    const synonyms = findSynonyms(lines.get(stems.slice(0, BEGINNING)) ?? [], stems);
    // Most words that follow each other are no phrase.
    const isWorthIt = synonyms.length > 0 || !stems.includes(' ');
    if (isWorthIt && remembered.size < MOST_REMEMBERED) remembered.set(stems, synonyms);
    return synonyms;
  };
}

/** Stemming all words would hold up the first searches, so only those are stemmed that begin alike; a stem differs in its last letter at most. */
function findSynonyms(alike: readonly Line[], stems: string): readonly Synonym[] {
  const [first = ''] = stems.split(' ', 1);
  const beginning = first.slice(0, -1);
  const isOne = first === stems;
  return alike
    .filter(({ word }) => word.startsWith(beginning) && isOne !== word.includes(' ') && stemsOf(word).join(' ') === stems)
    .flatMap(({ others, closeness }) => wordsIn(others).map((other) => ({ stems: stemsOf(other), closeness })))
    .filter((other) => other.stems.join(' ') !== stems);
}

/** By how they begin. */
function readLines(hints: Hints): ReadonlyMap<string, readonly Line[]> {
  const read = new Map<string, Line[]>();
  const add = (words: string, others: string, closeness: Closeness) => {
    for (const word of wordsIn(words)) {
      const beginning = word.slice(0, BEGINNING);
      const alike = read.get(beginning);
      const line = { word, others, closeness };
      if (alike === undefined) read.set(beginning, [line]);
      else alike.push(line);
    }
  };
  for (const line of SYNONYMS.trim().split('\n')) add(line, line, 'same');
  for (const line of IRREGULAR.trim().split(/[;\n]/)) add(line.replace(':', ''), line.replace(':', ''), 'form');
  for (const closeness of ['hint', 'product'] as const)
    for (const hint of (hints[closeness] ?? '').trim().split(/[;\n]/)) {
      const [words = '', others = ''] = hint.split(':');
      if (others !== '') add(words, others, closeness);
    }
  return read;
}

/** Several words in quotes are one. */
function wordsIn(line: string): readonly string[] {
  if (!line.includes('"')) return line.trim().split(' ');
  return [...line.matchAll(/"([^"]+)"|(\S+)/g)].map(([, several, one]) => several ?? one ?? '');
}

function stemsOf(words: string): readonly string[] {
  return words.split(/[ /]/).map(stem);
}
