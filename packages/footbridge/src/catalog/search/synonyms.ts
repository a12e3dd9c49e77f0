/** Words that can stand for others, as people and authors of skills use them. */
import { HINTS } from './hints.js';
import { stem } from './stemmer.js';

/** Words that mean the same here, a group a line. Several words in quotes are one. */
const SYNONYMS = `
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
experiment "a/b" ab
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

/** Words that belong together, though they do not mean the same. */
const RELATED = `
slide document pdf
test check verify validate verification validation
review audit inspect evaluate assess
write draft author compose
optimize improve tune performance
slow performance optimization profiling
cost bill billing spending budget expense
invoice receipt accounting
legal law lawyer compliance regulation
privacy gdpr personal
hipaa medical patient clinical health
security secure safe hardening attack hacker vulnerability
crash failure error exception
monitoring metrics observability dashboard alert
deploy deployment release rollout ship publish
changelog release
container docker compose
infrastructure terraform provisioning
serverless lambda function
mobile ios android app
frontend interface web react
animation motion transition animate
design visual look style
layout grid responsive
font typography
brand identity logo voice
copy content text
novel fiction story
sales deal pipeline
marketing campaign audience
payment checkout subscription charge
churn cancel retention
meeting call calendar appointment
goal objective okr
plan roadmap backlog
idea brainstorm
paper publication manuscript literature study
citation reference bibliography
data dataset
dataframe pandas
sql query database
schema table migration
warehouse analytics
queue message event
cache caching
orm prisma
git commit branch
refactor cleanup restructure
legacy old
lesson teach teacher student course education tutorial
exam quiz flashcard
money finance financial
stock share equity invest
inventory supply demand
logistics carrier delivery
factory manufacturing production
crypto blockchain ethereum solidity wallet token
research investigate source
interview question
icon svg
figma mockup wireframe prototype
prompt instruction
context compress compact
subagent worker delegate
gene genome genomic dna rna
molecule chemistry compound
map geospatial location gis
robot robotics
firmware embedded microcontroller arduino
network router switch vpn
domain dns
memory heap leak
race deadlock thread concurrency
csv spreadsheet
java spring
php laravel
ruby rails
swift ios
kotlin android
dotnet windows
react component hook
playwright selenium puppeteer browser
embedding vector retrieval
statistics significance
notebook jupyter
schedule cron
house property mortgage
music song audio
speech voice audio
photo retouch camera
game unity godot
scientist scientific research
install setup onboarding
upgrade migrate migration
ssh remote server
permission role access
upload file
`;

/** How well another word stands for one: the same, related, or what a request with the word may be about. */
export type Closeness = 'same' | 'related' | 'hint';

/** What can stand for a word: the stems of one or more words. */
export interface Synonym {
  readonly stems: readonly string[];
  readonly closeness: Closeness;
}

/** Stemming every word would hold up the first search: words are stemmed once a query has one that begins like them. */
const BEGINNING = 2;
/** A word or several as they are written above, and the words that stand for it. */
interface Line {
  readonly word: string;
  readonly others: readonly string[];
  readonly closeness: Closeness;
}
let lines: ReadonlyMap<string, readonly Line[]> | undefined;
const known = new Map<string, ReadonlyMap<string, readonly Synonym[]>>();

/** What can stand for the stem of a word, or for those of several, joined by a blank. */
export function synonymsOf(stems: string): readonly Synonym[] {
  const beginning = stems.slice(0, BEGINNING);
  lines ??= readLines();
  const alike = lines.get(beginning);
  if (alike === undefined) return [];
  const synonyms = known.get(beginning) ?? readSynonyms(alike);
  known.set(beginning, synonyms);
  return synonyms.get(stems) ?? [];
}

function readSynonyms(alike: readonly Line[]): ReadonlyMap<string, readonly Synonym[]> {
  const synonyms = new Map<string, Synonym[]>();
  for (const { word, others, closeness } of alike) {
    const key = stemsOf(word).join(' ');
    const found = synonyms.get(key) ?? [];
    synonyms.set(key, found);
    for (const stems of others.map(stemsOf)) if (stems.join(' ') !== key) found.push({ stems, closeness });
  }
  return synonyms;
}

/** By how they begin. */
function readLines(): ReadonlyMap<string, readonly Line[]> {
  const read = new Map<string, Line[]>();
  const add = (line: Line) => {
    const beginning = line.word.slice(0, BEGINNING);
    const alike = read.get(beginning);
    if (alike === undefined) read.set(beginning, [line]);
    else alike.push(line);
  };
  for (const [text, closeness] of [[SYNONYMS, 'same'] as const, [RELATED, 'related'] as const]) {
    for (const others of text.trim().split('\n').map(wordsIn)) for (const word of others) add({ word, others, closeness });
  }
  for (const hint of HINTS.trim().split(/[;\n]/)) {
    const [from = '', to = ''] = hint.split(':');
    const others = wordsIn(to);
    for (const word of wordsIn(from)) add({ word, others, closeness: 'hint' });
  }
  return read;
}

/** Several words in quotes are one. */
function wordsIn(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]+)"|(\S+)/g)].map(([, several, one]) => several ?? one ?? '');
}

function stemsOf(words: string): readonly string[] {
  return words.split(/[ /]/).map(stem);
}
