/** What several words of a request mean together, although each of them says little: `take his access away`, `who am I`. */

/** `verbs + particles: words they mean`. The particle follows the verb at once or some words later. */
const PARTICLES = `
take + away off: remove revoke delete; bring put + back: restore; give + back: refund return; call + off: cancel; put push + off: reschedule
write jot note put + down: create add; write + up: create; let + in into: invite add; kick throw + out: remove delete; throw + away: delete
pass hand + on over: forward transfer; turn switch + on: enable update; turn switch + off: disable update; look + up: search find; set spin + up: create
take + over: assign; find + out: search get; roll + back: rollback restore; tear take + down: delete stop; clean tidy clear + up out: delete prune
back + up: backup create; hook + up: connect; sign + off: approve; cut lock keep + off out: block revoke; shut + down: stop; try + out: run test
bring + up: update; mark tick cross + off: complete update; carry + out: run execute; log sign + out: logout; go look + through over: list read
`;
/** How many words after the verb the particle may be. */
const REACH = 5;

/** Questions, and the words that tools for them have. */
const QUESTIONS = `
who am i: current user account profile authenticated whoami me
what is my name: current user profile me
logged in as: current user account authenticated whoami me
signed in as: current user account authenticated whoami me
my own account: current user account profile me
how many: count list stats total
how much: count total usage balance
have to do: list task tasks todo
how often: count history runs list stats
how long: duration time
how fast: performance time
how do you say: translate translation
is up: uptime monitor status health
is down: uptime monitor status health
is it up: uptime monitor status health
who changed: history audit log activity
who deleted: history audit log activity
who did: history audit log activity
who has access: permission member role share
what happened: history events log activity
what changed: history changes diff log activity
what is in: list get read content
not needed: delete remove
no longer: delete remove
`;

const particles = new Map<string, string>();
for (const entry of PARTICLES.trim().split(/[;\n]/)) {
  const [verbs = '', after = '', meaning = ''] = entry.trim().split(/ \+ |: /);
  for (const verb of verbs.split(' ')) for (const particle of after.split(' ')) particles.set(`${verb} ${particle}`, meaning);
}
const verbs = new Set([...particles.keys()].map((key) => key.split(' ', 1)[0] ?? ''));
const questions = QUESTIONS.trim()
  .split('\n')
  .map((line) => line.split(': '));

/** The words that phrases of a request mean, those of each phrase together. */
export function phrasesOf(words: readonly string[]): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (const [at, verb] of words.entries()) {
    if (!verbs.has(verb)) continue;
    for (const particle of words.slice(at + 1, at + 1 + REACH)) {
      const meaning = particles.get(`${verb} ${particle}`);
      if (meaning === undefined) continue;
      found.push(meaning.split(' '));
      break;
    }
  }
  const text = ` ${words.join(' ')} `;
  for (const [question = '', meaning = ''] of questions) if (text.includes(` ${question} `)) found.push(meaning.split(' '));
  return found;
}
