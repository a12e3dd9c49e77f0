// The resources of a small build service, written in code. Run: node examples/servers/defined.mjs [--admin]
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Catalog, createLog, createServer, defineResource, defineResources } from 'footbridge';
import * as z from 'zod';

const HANDBOOK = '# Handbook\n\nA build runs for every commit. Green builds are released on Fridays.\n';
const LOGO = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const EMPTY_ZIP = Buffer.from(`PK\x05\x06${'\0'.repeat(18)}`, 'latin1');
const BUILDS = new Map([
  ['2026-11-12', { passed: 31, failed: 0 }],
  ['2026-11-13', { passed: 28, failed: 2 }],
]);
const WORKFLOWS = new Map([
  ['nightly', { state: 'passed', minutes: 42 }],
  ['release', { state: 'waiting', minutes: 0 }],
]);
// The macOS machine is switched off, so it never responds.
const MACHINES = new Map([
  ['linux', async () => ({ busy: 3, of: 8 })],
  ['macos', () => new Promise(() => {})],
]);

let percent = 0;

/** An existing function with its own parameter name. Returns undefined for an unknown workflow. */
const workflowStatus = ({ id }) => WORKFLOWS.get(id);

const resources = defineResources([
  // Anything other than text or bytes becomes JSON. It is cached for a minute, or until `updated` reports a change.
  defineResource({
    uri: 'build://current',
    name: 'current',
    title: 'Current build',
    description: 'How far the build is that runs now',
    mimeType: 'application/json',
    cacheHint: { ttlMs: 60_000, cacheScope: 'public' },
    read: () => ({ commit: '4f0c2d9', percent }),
  }),
  defineResource({
    uri: 'build://day/{day}',
    name: 'day',
    title: 'Builds of a day',
    description: 'How many builds passed and failed on a day',
    mimeType: 'application/json',
    variables: { day: { schema: z.iso.date(), examples: ['2026-11-13'], complete: [...BUILDS.keys()] } },
    read: ({ day }) => BUILDS.get(day),
  }),
  defineResource({
    uri: 'build://artifact',
    name: 'artifact',
    title: 'Artifact',
    description: 'What the last build made',
    mimeType: 'application/zip',
    read: () => EMPTY_ZIP,
  }),
  // JavaScript cannot represent this number, so the JSON is written as text and stays text.
  defineResource({
    uri: 'build://traffic',
    name: 'traffic',
    title: 'Traffic',
    description: 'Bytes that were served since the beginning',
    mimeType: 'application/json',
    read: () => '{ "bytes": 18446744073709551615 }',
  }),
  defineResource({
    uri: 'workflow://workflows/{workflow_id}/status',
    name: 'workflow-status',
    title: 'Workflow status',
    description: 'Where a workflow stands',
    mimeType: 'application/json',
    parameters: { workflow_id: 'id' },
    variables: { workflow_id: { examples: ['nightly'], complete: [...WORKFLOWS.keys()] } },
    read: workflowStatus,
  }),
  defineResource({
    uri: 'machine://{name}/load',
    name: 'load',
    title: 'Machine load',
    description: 'How many jobs a machine runs',
    mimeType: 'application/json',
    timeoutMs: 200,
    variables: { name: { examples: ['linux'], complete: [...MACHINES.keys()] } },
    read: ({ name }) => MACHINES.get(name)?.(),
  }),
  defineResource({
    uri: 'docs://handbook',
    name: 'handbook',
    title: 'Handbook',
    description: 'How we build and release',
    mimeType: 'text/markdown',
    read: () => HANDBOOK,
  }),
  defineResource({ uri: 'docs://logo', name: 'logo', title: 'Logo', mimeType: 'image/png', read: () => LOGO }),
  defineResource({
    uri: 'docs://all',
    name: 'all',
    title: 'All documents',
    description: 'The handbook and the history',
    read: () => ({
      contents: [
        { uri: 'docs://handbook', mimeType: 'text/markdown', text: HANDBOOK },
        { uri: 'docs://history', mimeType: 'text/plain', text: 'Founded in 2019.\n' },
      ],
    }),
  }),
  defineResource({
    uri: 'admin://users',
    name: 'users',
    title: 'Users',
    description: 'Who may start a build',
    category: 'administration',
    requiresAdmin: true,
    mimeType: 'application/json',
    read: () => [{ name: 'ada' }, { name: 'grace' }],
  }),
]);

const log = createLog('warn');
const catalog = await Catalog.open([resources], { log });
const identity = { name: 'you', roles: process.argv.includes('--admin') ? ['admin'] : [] };
serveStdio(({ era }) => createServer({ catalog, era, identity, log }));

// The build continues: the cached content is dropped, and subscribers are notified.
const build = setInterval(() => {
  percent += 10;
  resources.updated('build://current');
  if (percent === 100) clearInterval(build);
}, 1000).unref();
