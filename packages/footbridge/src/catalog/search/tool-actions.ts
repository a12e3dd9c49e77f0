/** What a tool does to a thing, whatever word its name or a request has for it: `add_label` for `make a new label`. */

/** Each kind of action, with the verbs in names of tools that mean it. */
const IN_NAMES: Readonly<Record<string, string>> = {
  create: 'create add insert new register make generate post put init clone fork duplicate copy',
  delete: 'delete remove drop clear erase destroy purge uninstall unset clean reset',
  update:
    'update edit modify patch set change rename replace put write configure move mark assign respond approve moderate resolve complete transition turn toggle merge append manage',
  list: 'list all browse enumerate index',
  read: 'get read retrieve fetch describe show view open download inspect load',
  search: 'search find query lookup filter discover match',
  send: 'send post publish reply notify push submit forward share',
  run: 'run execute exec trigger start play invoke deploy launch perform apply retry restart',
  stop: 'stop cancel abort end terminate pause disable close kill disconnect unpublish archive',
};

/** Words of requests, and the kinds of action that they may mean, likeliest first. */
const IN_REQUESTS = `
make add new insert generate register draft book schedule another take build file prepare compose bill log remind: create
set: update create
create: create send
write: create update
put: create update send
save store keep: create update
upload attach: create send
copy duplicate clone invent: create
cut trim crop shorten lengthen resize rotate turn paint fill: update
kick ban: delete stop update
delete remove drop erase destroy purge clear forget wipe throw rid trash uninstall discard: delete
undo revert: delete run
change update edit modify rename replace set adjust fix correct move mark tag label assign turn switch enable reassign: update
which all list every count: list search
what who whose: list read
how when where why: read list
show see view read look check open display tell describe print inspect give fetch get download export: read list
is are does did do has have: read list
find search query filter lookup: search list
send message post notify reply answer announce email mail text invite share forward ask: send create
run execute start trigger launch restart rerun retry again play deploy invoke: run
cancel end terminate: stop delete update
stop abort pause disable close kill finish shut off silence mute: stop update
postpone reschedule push delay approve accept decline reject acknowledge resolve tick complete transfer join merge dim lower raise: update
give: update create read
publish: create send run
`;

/** Of a word that is not the first verb of a request. */
const LATER = 0.6;
/** Of the second and third kind that a word may mean. */
const LESS_LIKELY = 0.7;

const verbs = new Map(
  Object.entries(IN_NAMES)
    .flatMap(([action, words]) => words.split(' ').map((word) => [word, action] as const))
    .reverse(),
);

const meanings = new Map(
  IN_REQUESTS.trim()
    .split('\n')
    .flatMap((line) => {
      const [words = '', actions = ''] = line.split(': ');
      return words.split(' ').map((word) => [word, actions.split(' ')] as const);
    }),
);

/** The term of the action that a word in the name of a tool stands for. No word of a text gives such a term. */
export function actionOfName(word: string): string | undefined {
  const action = verbs.get(word) ?? verbs.get(word.replace(/s$/, ''));
  return action === undefined ? undefined : termOf(action);
}

/** The kinds of action that change something. */
const CHANGES: ReadonlySet<string> = new Set(['create', 'delete', 'update', 'send', 'stop']);
const ASKS: ReadonlySet<string> = new Set(
  'what which who whose where when why how is are was were does did has have will can show list find see look'.split(' '),
);
/** After `can`, the request may be for anything. */
const POLITE: ReadonlySet<string> = new Set(['you', 'we', 'i']);

/** Whether the first word of a name that is an action changes something. */
export function isChange(words: readonly string[]): boolean {
  const first = words.map((word) => verbs.get(word)).find((action) => action !== undefined);
  return first !== undefined && CHANGES.has(first);
}

/** Whether a request only asks for something: `what`, but not `can you`. */
export function isQuestion([first = '', next = '']: readonly string[]): boolean {
  return ASKS.has(first) && !((first === 'can' || first === 'will') && POLITE.has(next));
}

/** The terms of the actions that a request may mean, with how likely each is. */
export function actionsIn(words: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let share = 1;
  for (const word of words) {
    const actions = meanings.get(word);
    if (actions === undefined) continue;
    for (const [at, action] of actions.entries()) {
      const weight = share * (at === 0 ? 1 : LESS_LIKELY);
      if ((found.get(termOf(action)) ?? 0) < weight) found.set(termOf(action), weight);
    }
    share = LATER;
  }
  return found;
}

function termOf(action: string): string {
  return `@${action}`;
}
