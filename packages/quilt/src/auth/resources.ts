/** Login status, catalog information and writable folders. */
import { access, constants } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { type Caller, defineResource, systemCode } from 'footbridge/pack';
import type { Catalog } from '../catalog.js';
import { Failure, outcome, type Problem, problemOf, type Resource } from '../failure.js';
import { type Login, loginSteps } from '../login/login.js';
import { catalogName } from '../login/quilt-files.js';
import { me } from '../registry/queries.js';

export function authResources(catalog: Catalog): readonly Resource[] {
  return [
    defineResource({
      uri: 'auth://status',
      name: 'auth-status',
      title: 'Login status',
      description:
        'Whether you are logged in to a Quilt catalog, to which and as whom, your roles on this server, and next steps. Read it first after an error.',
      read: (_, { caller, signal }) => loginStatus(catalog, caller, signal),
    }),
    defineResource({
      uri: 'auth://catalog/info',
      name: 'auth-catalog-info',
      title: 'Catalog information',
      description: "The catalog's name, URLs, region and tabulator data catalog.",
      read: (_, { signal }) => catalogInfo(catalog, signal),
    }),
    defineResource({
      uri: 'auth://filesystem/status',
      name: 'auth-filesystem-status',
      title: 'Filesystem status',
      description: 'The home, temporary and current folder of this server, and whether each is writable.',
      read: filesystemStatus,
    }),
  ];
}

const STATUS = { in: 'logged_in', out: 'not_logged_in', expired: 'expired' } as const;
const AGAIN = "Then read 'auth://status' again. Changes of environment variables require a restart of this server.";
const RETRY = 'The registry did not return the user: read this again in a moment.';
const FIX = 'The registry did not return the user: fix the reported problem first.';

async function loginStatus(catalog: Catalog, caller: Caller, signal: AbortSignal) {
  const login = await catalog.login();
  // The login exists even if the registry is unreachable.
  const answer = login.state === 'in' ? await outcome(me(catalog.registry, login, signal)) : undefined;
  const user = answer instanceof Failure ? undefined : answer;
  const problem = answer instanceof Failure ? problemOf(answer) : undefined;
  const isRejected = answer instanceof Failure ? answer.kind === 'login' : user === undefined;
  const state = login.state === 'in' && isRejected ? 'expired' : login.state;
  return {
    status: STATUS[state],
    logged_in: state === 'in',
    catalog_url: login.catalogUrl ?? null,
    catalog_name: login.catalogUrl === undefined ? null : catalogName(login.catalogUrl),
    login_from: login.from ?? null,
    user: user ?? null,
    server_roles: caller.roles,
    next_steps: nextSteps({ ...login, state }, user?.is_admin === true && caller.admin, problem),
    problem,
    ...(login.problems.length > 0 && { problems: login.problems }),
  };
}

function nextSteps(login: Login, isAdmin: boolean, problem: Problem | undefined): readonly string[] {
  if (login.state !== 'in') return [...loginSteps(login), AGAIN];
  if (problem !== undefined) return [problem.retryable ? RETRY : FIX, ...(problem.suggested_actions ?? [])];
  return [
    "Read 'permissions://discover' to see the permissions for each bucket.",
    "Read 'athena://databases' or 'tabulator://buckets' to see what can be queried.",
    ...(isAdmin ? ["Read 'admin://users' to see the users of the catalog."] : []),
  ];
}

async function catalogInfo(catalog: Catalog, signal: AbortSignal) {
  const login = await catalog.login();
  const { catalogUrl, problems, state } = login;
  // Without the catalog's answer, what the login knows is still useful.
  const answer = catalogUrl === undefined ? undefined : await outcome(catalog.configs.of(catalogUrl, signal));
  const config = answer instanceof Failure ? undefined : answer;
  return {
    catalog_name: catalogUrl === undefined ? null : catalogName(catalogUrl),
    navigator_url: catalogUrl ?? null,
    registry_url: login.registryUrl ?? config?.registryUrl ?? null,
    region: config?.region ?? login.region ?? null,
    tabulator_data_catalog: config?.tabulatorDataCatalog ?? null,
    is_logged_in: state === 'in',
    next_steps: state === 'in' ? [] : loginSteps(login),
    ...(answer instanceof Failure && { problem: problemOf(answer) }),
    ...(problems.length > 0 && { problems }),
  };
}

async function filesystemStatus() {
  const [home, temporary, current] = await Promise.all([homedir(), tmpdir(), process.cwd()].map(folderStatus));
  return {
    home,
    temporary,
    current,
    next_steps: [
      home?.writable === true
        ? 'Packages can be installed and files stored in the home folder.'
        : 'The home folder is not writable: choose another folder for files, or run the server as a user with a writable home.',
      ...(temporary?.writable === true ? [] : ['The temporary folder is not writable: set TMPDIR to a writable folder.']),
    ],
  };
}

async function folderStatus(folder: string) {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return { folder, writable: true };
  } catch (cause) {
    return { folder, writable: false, reason: systemCode(cause) ?? 'unknown' };
  }
}
