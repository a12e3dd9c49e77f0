/** Words that can stand for others, as people and authors of skills use them. */
import { EVERYDAY_HINTS } from './everyday-hints.js';
import { HINTS } from './hints.js';
import { IRREGULAR } from './irregular.js';
import { OTHER_LANGUAGES } from './other-languages.js';
import { PHRASES } from './phrases.js';
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
swagger openapi
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
experiment ab
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

/** A word or several, as stems joined by a blank, and what stands for them, as it is written in a list. */
interface Entry {
  readonly stems: string;
  readonly others: string;
  readonly closeness: Closeness;
}

const CLOSENESSES: readonly Closeness[] = ['same', 'form', 'hint', 'product'];
/** Stems of up to so many letters are looked for as they are. */
const SHORT = 2;
/** Characters of the longest entry. */
const LONGEST_ENTRY = 400;
/** First words whose entries are remembered: the rest of a hostile query is looked up again. */
const MAX_REMEMBERED = 10_000;

/** What can stand for the stem of a word, or for those of several, joined by a blank. */
export const synonymsOf = thesaurus({ hint: HINTS + EVERYDAY_HINTS + PHRASES + OTHER_LANGUAGES, product: TOOL_HINTS });

/** Lists of words and what they lead to. */
type Lists = Readonly<Partial<Record<Closeness, string>>>;

/** A function that finds what can stand for stems: words that mean the same anywhere, and `hints`. */
export function thesaurus(hints: Lists): (stems: string) => readonly Synonym[] {
  const lists: Lists = { form: IRREGULAR, same: SYNONYMS, ...hints };
  const remembered = new Map<string, readonly Entry[]>();
  return (stems) => {
    const [first = ''] = stems.split(' ', 1);
    const entries = remembered.get(first) ?? entriesOf(lists, first);
    if (remembered.size < MAX_REMEMBERED) remembered.set(first, entries);
    return entries
      .filter((entry) => entry.stems === stems)
      .flatMap(({ others, closeness }) => wordsIn(others).map((other) => ({ stems: stemsOf(other), closeness })))
      .filter((other) => other.stems.join(' ') !== stems);
  };
}

/**
 * All words and phrases that begin with a word of this stem. Reading whole lists would hold up the first search, so only the entries are
 * read that have its beginning: a stem differs from its words in its last letter at most.
 */
function entriesOf(lists: Lists, first: string): readonly Entry[] {
  const beginning = first.length > SHORT ? first.slice(0, -1) : first;
  const found: Entry[] = [];
  for (const closeness of CLOSENESSES) {
    for (const entry of entriesWith(lists[closeness] ?? '', beginning)) {
      const [words = '', others = ''] = entry.split(':');
      // Hints lead one way only; in other entries each word stands for each.
      const isOneWay = closeness === 'hint' || closeness === 'product';
      const keys = isOneWay ? words : `${words} ${others}`;
      for (const word of wordsIn(keys)) {
        if (!word.startsWith(beginning)) continue;
        const stems = stemsOf(word);
        if (stems[0] === first) found.push({ stems: stems.join(' '), others: isOneWay ? others : keys, closeness });
      }
    }
  }
  return found;
}

/** The entries of a list, which end at a semicolon or a line's end, in which a word begins like this. */
function* entriesWith(list: string, beginning: string): Generator<string> {
  if (beginning === '') return;
  for (let at = list.indexOf(beginning); at !== -1; at = list.indexOf(beginning, at + 1)) {
    if (!' "\n'.includes(list.charAt(at - 1))) continue;
    const start = Math.max(list.lastIndexOf('\n', at), list.lastIndexOf(';', at)) + 1;
    const [entry = ''] = list.slice(start, start + LONGEST_ENTRY).split(/[;\n]/, 1);
    yield entry;
    at = start + entry.length;
  }
}

/** Several words in quotes are one. */
function wordsIn(line: string): readonly string[] {
  if (!line.includes('"')) return line.trim().split(/ +/);
  return [...line.matchAll(/"([^"]+)"|(\S+)/g)].map(([, several, one]) => several ?? one ?? '');
}

function stemsOf(words: string): readonly string[] {
  return words.split(/[ /]/).map(stem);
}
