/** Whether one is logged in, as whom, and what to do next. */
import type { Caller } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import { Failure, outcome, type Problem, problemOf } from '../failure.js';
import { nameOf } from '../login/address.js';
import { howToLogIn, type Login } from '../login/login.js';
import { me } from '../registry/queries.js';

export async function loginStatus(catalog: Catalog, caller: Caller, signal: AbortSignal) {
  const login = await catalog.login();
  // The registry may be away: the login is there all the same.
  const asked = login.state === 'in' ? await outcome(me(catalog.registry, login, signal)) : undefined;
  const user = asked instanceof Failure ? undefined : asked;
  const problem = asked instanceof Failure ? problemOf(asked) : undefined;
  const isRefused = asked instanceof Failure ? asked.kind === 'login' : user === undefined;
  const state = login.state === 'in' && isRefused ? 'expired' : login.state;
  return {
    status: STATUS[state],
    logged_in: state === 'in',
    catalog_url: login.catalogUrl ?? null,
    catalog_name: login.catalogUrl === undefined ? null : nameOf(login.catalogUrl),
    login_from: login.from ?? null,
    user: user ?? null,
    next_steps: nextSteps({ ...login, state }, user?.is_admin === true && caller.admin, problem),
    problem,
    ...(login.problems.length === 0 ? {} : { problems: login.problems }),
  };
}

const AGAIN = "Then read 'auth://status' again. Only what is set in the environment needs a restart of this server.";
const RETRY = 'The registry did not say who is logged in: read this again in a moment.';
const MEND = 'The registry did not say who is logged in, and will not until what problem says is put right.';

const STATUS = { in: 'logged_in', out: 'not_logged_in', expired: 'expired' } as const;

function nextSteps(login: Login, isAdmin: boolean, problem: Problem | undefined): readonly string[] {
  if (login.state !== 'in') return [...howToLogIn(login), AGAIN];
  if (problem !== undefined) return [problem.retryable ? RETRY : MEND, ...(problem.suggested_actions ?? [])];
  return [
    "Read 'permissions://discover' to see what may be done with which bucket.",
    "Read 'athena://databases' or 'tabulator://buckets' to see what can be queried.",
    ...(isAdmin ? ["Read 'admin://users' to see who uses the catalog."] : []),
  ];
}
