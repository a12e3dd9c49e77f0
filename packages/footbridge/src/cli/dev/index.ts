/** `footbridge dev`: serves skills during development, and shows each call and change. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Catalog } from '../../catalog/catalog.js';
import { systemCode } from '../../errors.js';
import { isLoopback } from '../../serve/http/addresses.js';
import { serveHttp } from '../../serve/http/index.js';
import { createRequestLog } from '../../serve/telemetry/request-log.js';
import { skillRoots } from '../../sources/skills/folders.js';
import { skillFolders } from '../../sources/skills/index.js';
import { SKIPPED_FOLDERS } from '../../sources/skills/rules.js';
import { FolderWatcher, type WatchedTree } from '../../sources/skills/watch.js';
import { lease } from '../../sources/transforms/index.js';
import { CommandError } from '../failure.js';
import type { Io } from '../io.js';
import type { CommonOptions } from '../options.js';
import { openingSources, withProgress } from '../progress.js';
import { type Address, cannotListen, destinationOf } from '../serve-http.js';
import { plain } from '../terminal.js';
import { observeCalls } from './calls.js';
import { newsBetween, review } from './review.js';
import { jsonView, textView } from './view.js';

export interface DevOptions extends CommonOptions {
  readonly http?: Address;
}

const FIRST_PORT = 3333;
const MAX_PORTS = 50;

/** Serves until the process is stopped. Without a folder it serves the project's. */
export async function dev(given: string | undefined, options: DevOptions, io: Io): Promise<number> {
  const folder = given ?? projectFolder(io);
  const path = io.path(folder);
  checkFolder(folder, path);
  let address = options.http ?? { host: '127.0.0.1', port: await freePort(FIRST_PORT) };
  if (!isLoopback(address.host))
    throw new Error(
      `dev shows every request, so it listens on this machine only, not on '${address.host}'. To serve other machines, use footbridge serve.`,
    );
  const view = options.json === true ? jsonView(io) : textView(io);
  const log = createRequestLog(options.logLevel, { format: 'text', destination: destinationOf(io) });
  const { source, catalog } = await open(path, io);
  let served = source();
  const serve = () =>
    serveHttp({ ...address, sources: [served], prompts: options.prompts === true, log, tap: observeCalls((call) => view.call(call)) });
  try {
    const server = await serve()
      .catch(async (cause: unknown) => {
        // Another program may have taken the port meanwhile.
        if (options.http !== undefined || systemCode(cause) !== 'EADDRINUSE') throw cause;
        address = { ...address, port: await freePort(address.port + 1) };
        served = source();
        return serve();
      })
      .catch((cause: unknown) => {
        throw cannotListen(cause, address);
      });
    const stop = io.stopped();
    let latest = await review(catalog);
    view.serving({ endpoint: server.endpoint, folder, review: latest });
    const unwatch = watchFiles(path, async () => {
      await served.refresh();
      const next = await review(catalog);
      for (const news of newsBetween(latest, next)) view.news(news);
      latest = next;
    });
    await stop;
    unwatch();
    await server.close();
    view.stopped();
    return 0;
  } finally {
    catalog.close();
  }
}

/** The catalog and the server share one source, so the output describes what is served. */
async function open(path: string, io: Io) {
  return withProgress(
    'scanning…',
    async (show) => {
      const skills = skillFolders({ folders: [path], standardFolders: false, scanned: openingSources(show).scanned });
      const source = () => lease(skills);
      const own = source();
      const close = () => {
        own.close();
        skills.close();
      };
      return { source, catalog: await Catalog.open([{ ...own, close }]) };
    },
    io,
  );
}

/** The first skill folder of the project, as `init` creates it and hosts find it. */
function projectFolder(io: Io): string {
  const roots = skillRoots({ workingFolder: io.cwd, home: io.home }).filter(({ location }) => location === 'project');
  const found = roots.find(({ path }) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  if (found !== undefined) return found.label;
  const labels = roots.map(({ label }) => label).join(', ');
  throw new CommandError('failed', `This project has no skill folder (${labels}).`, [CREATE]);
}

const CREATE = 'Create a skill with: footbridge init NAME';

function checkFolder(folder: string, path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError('failed', `Folder ${plain(folder)} not found.`, [CREATE]);
  if (!stats.isDirectory()) throw new Error(`${plain(folder)} is not a folder. Name the folder of a skill, or one that contains skills.`);
}

async function freePort(first: number): Promise<number> {
  for (let port = first; port < first + MAX_PORTS; port++) if (await isFree(port)) return port;
  throw new Error(`The ports from ${first} to ${first + MAX_PORTS - 1} are all in use. Choose another with --http PORT.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done, reject) => {
    const probe = createServer();
    probe.once('error', (cause) => (systemCode(cause) === 'EADDRINUSE' ? done(false) : reject(cause)));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}

/** Delay that combines a burst of changes. */
const SETTLE_MS = 100;
/** Polling interval, for file systems that do not report every change. */
const LOOK_MS = 30_000;
/** Changes in further folders are found by polling. */
const MAX_FOLDERS = 5000;

/** Calls `changed` after changes in `folder`, never concurrently. Returns a function that stops. */
function watchFiles(folder: string, changed: () => Promise<void>): () => void {
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const watcher = new FolderWatcher(
    () => schedule(),
    () => {},
  );
  const watch = () => {
    const tree = existsSync(folder) ? treeIn(folder, { left: MAX_FOLDERS }) : undefined;
    return watcher.watch({ forest: new Map(tree === undefined ? [] : [[folder, tree]]), missing: tree === undefined ? [folder] : [] });
  };
  const look = async () => {
    if (closed) return;
    // New folders are watched before they are read, so that no change is missed.
    await watch();
    await changed();
  };
  const schedule = () => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      // A file may vanish while it is read; try again.
      running = running.then(look).catch(schedule);
    }, SETTLE_MS);
  };
  const interval = setInterval(schedule, LOOK_MS);
  // Covers changes before the watch started.
  running = watch().then(schedule);
  return () => {
    closed = true;
    clearTimeout(timer);
    clearInterval(interval);
    watcher.close();
  };
}

/** Links are not followed. */
function treeIn(folder: string, folders: { left: number }): WatchedTree {
  const names = listed(folder).flatMap((entry) =>
    entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name) && folders.left-- > 0 ? [entry.name] : [],
  );
  return { kind: 'group', names, nodes: names.map((name) => treeIn(join(folder, name), folders)) };
}

function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
