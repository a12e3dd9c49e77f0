import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ownerOf } from 'footbridge/state';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { useSources } from '../../footbridge/tests/support/start.js';
import { Secrets } from '../src/secrets.js';
import { changeStep, type StepChange } from '../src/workflows/record.js';
import { workflowResources } from '../src/workflows/resources.js';
import { MAX_WORKFLOWS, readNewest, TooManyWorkflows, WorkflowStore, writeNext } from '../src/workflows/store.js';
import { workflowTools } from '../src/workflows/tools.js';

useSources();

const WRITER = fileURLToPath(new URL('fixtures/workflow-writer.mjs', import.meta.url));
const STEPS = ['collect', 'write', 'push'];
const NOW = '2025-06-01T10:00:00.000Z';
const LATER = '2025-06-01T11:00:00.000Z';

let folder = '';
let store = new WorkflowStore(folder);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quilt-workflows-'));
  store = new WorkflowStore(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const change =
  (step: StepChange, now = new Date().toISOString()) =>
  (workflow: Parameters<typeof changeStep>[0]) =>
    changeStep(workflow, step, now);

function startWriter(id: string, name: string, count?: number) {
  const child = spawn(process.execPath, [WRITER, folder, 'ann', id, name, ...(count === undefined ? [] : [String(count)])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => acknowledged.push(line));
  return { child, acknowledged, lines, ended: Promise.all([once(child, 'exit'), once(lines, 'close')]) };
}

const notesOf = async (id: string) => (await store.get('ann', id))?.activity.flatMap(({ note }) => note ?? []) ?? [];

describe('the store', () => {
  test('loses no acknowledged change when its process is killed repeatedly', async () => {
    const { id } = await store.create('ann', { name: 'Killed', steps: STEPS });
    for (let kill = 1; kill <= 6; kill += 1) {
      const { acknowledged, child, ended, lines } = startWriter(id, `w${kill}`);
      // At varying times.
      for (let seen = 0; seen < 1 + (kill % 4); seen += 1) await once(lines, 'line');
      if (kill % 2 === 0) await new Promise((resolve) => setTimeout(resolve, kill % 5));
      child.kill('SIGKILL');
      await ended;
      const notes = (await notesOf(id)).filter((note) => note.startsWith(`w${kill}-`));
      // One more may have been written but not acknowledged.
      expect([acknowledged.length, acknowledged.length + 1]).toContain(notes.length);
      expect(notes.slice(0, acknowledged.length)).toEqual(acknowledged);
    }
    const kept = await store.get('ann', id);
    expect(kept?.steps.map(({ status }) => status)).toEqual(['pending', 'in_progress', 'pending']);
    await store.update('ann', id, change({ step: 'push', status: 'skipped' }));
    expect((await versionsOf(id)).length).toBeLessThanOrEqual(2);
  }, 90_000);

  test('keeps all changes of four concurrent processes', async () => {
    const { id } = await store.create('ann', { name: 'Contended', steps: STEPS });
    const writers = ['a', 'b', 'c', 'd'].map((name) => startWriter(id, name, 15));
    await Promise.all(writers.map(({ ended }) => ended));
    const all = writers.flatMap(({ acknowledged }) => acknowledged);
    expect(all).toHaveLength(60);
    expect((await notesOf(id)).slice(1).sort()).toEqual(all.sort());
    expect((await versionsOf(id)).length).toBeLessThanOrEqual(2);
  });

  test('keeps all concurrent changes of one process', async () => {
    const { id } = await store.create('ann', { name: 'Busy', steps: STEPS });
    await Promise.all(
      Array.from({ length: 20 }, (_, turn) => store.update('ann', id, change({ step: 'write', status: 'in_progress', note: `${turn}` }))),
    );
    expect(new Set((await notesOf(id)).slice(1)).size).toBe(20);
  });

  test('rejects the version of a slow writer whose name is free again', async () => {
    const { id } = await store.create('ann', { name: 'Slow', steps: STEPS });
    const place = join(folder, 'ann', id);
    const seen = await readNewest(place);
    if (seen === undefined) throw new Error('There is no version.');
    for (let turn = 1; turn <= 5; turn += 1)
      await store.update('ann', id, change({ step: 'write', status: 'in_progress', note: `fast ${turn}` }));
    const slow = change({ step: 'collect', status: 'completed', note: 'slow' })(seen.workflow);
    expect(await writeNext(place, seen, slow)).toBe(false);
    expect(await versionsOf(id)).toEqual(['5.json', '6.json']);
    expect(await notesOf(id)).not.toContain('slow');
  });

  test('ignores and removes an orphaned version', async () => {
    const { id } = await store.create('ann', { name: 'Orphan', steps: STEPS });
    const place = join(folder, 'ann', id);
    const old = await readFile(join(place, '1.json'), 'utf8');
    for (const note of ['one', 'two', 'three']) await store.update('ann', id, change({ step: 'write', status: 'in_progress', note }));
    await writeFile(join(place, '2.json'), old);
    expect((await notesOf(id)).at(-1)).toBe('three');
    await store.update('ann', id, change({ step: 'write', status: 'completed' }));
    expect(await versionsOf(id)).toEqual(['4.json', '5.json']);
  });

  test('falls back to the previous version if the newest is unreadable', async () => {
    const { id } = await store.create('ann', { name: 'Damaged', steps: STEPS });
    await store.update('ann', id, change({ step: 'collect', status: 'completed' }));
    await writeFile(join(folder, 'ann', id, '3.json'), '{"revisions":[');
    expect((await store.get('ann', id))?.steps[0]?.status).toBe('completed');
    await store.update('ann', id, change({ step: 'write', status: 'completed' }));
    expect((await store.get('ann', id))?.steps.map(({ status }) => status)).toEqual(['completed', 'completed', 'pending']);
    expect(await versionsOf(id)).toContain('4.json');
  });

  test('removes old drafts', async () => {
    const { id } = await store.create('ann', { name: 'Drafts', steps: STEPS });
    const place = join(folder, 'ann', id);
    const draft = join(place, '2.json.0123456789abcdef.draft');
    await writeFile(draft, '{');
    await utimes(draft, new Date(0), new Date(0));
    await store.update('ann', id, change({ step: 'collect', status: 'completed' }));
    expect((await readdir(place)).sort()).toEqual(['1.json', '2.json']);
  });

  test('does not show workflows of other owners', async () => {
    const { id } = await store.create('ann', { name: 'Mine', steps: STEPS });
    expect(await store.get('bob', id)).toBeUndefined();
    expect(await store.update('bob', id, change({ step: 'collect', status: 'failed' }))).toBeUndefined();
    expect(await store.list('bob')).toEqual([]);
    expect((await store.list('ann')).map((workflow) => workflow.id)).toEqual([id]);
    expect(await store.get('bob', `../ann/${id}`)).toBeUndefined();
    if (process.platform !== 'win32') expect((await stat(join(folder, 'ann', id, '1.json'))).mode & 0o077).toBe(0);
  });

  test('writes nothing if nothing changes', async () => {
    const { id } = await store.create('ann', { name: 'Same', steps: STEPS });
    const once = await store.update('ann', id, change({ step: 'collect', status: 'completed', note: 'done' }));
    expect(await store.update('ann', id, change({ step: 'collect', status: 'completed', note: 'done' }))).toEqual(once);
    expect(await store.update('ann', id, change({ step: 'collect', status: 'completed' }))).toEqual(once);
    expect(await versionsOf(id)).toEqual(['1.json', '2.json']);
  });

  test('creates readable, unique ids', async () => {
    const names = ['Import genomes', 'Import genomes', 'Größe / Maß', '基因组', '--', 'x'.repeat(200), `${'a'.repeat(39)} b`];
    const ids = await Promise.all(names.map(async (name) => (await store.create('ann', { name, steps: STEPS })).id));
    expect(new Set(ids).size).toBe(names.length);
    expect(ids[0]).toMatch(/^import-genomes-[a-z0-9]{6}$/);
    expect(ids[2]).toMatch(/^gro-e-ma-[a-z0-9]{6}$/);
    expect(ids[3]).toMatch(/^workflow-[a-z0-9]{6}$/);
    expect(ids[5]).toMatch(/^x{40}-[a-z0-9]{6}$/);
    for (const [index, id] of ids.entries()) expect((await store.get('ann', id))?.name).toBe(names[index]);
  });

  test('limits an owner to 500 workflows, not counting orphaned folders', async () => {
    const fill = (from: number, to: number, time: Date) =>
      Promise.all(
        Array.from({ length: to - from }, async (_, index) => {
          const place = join(folder, 'ann', `left-${String(from + index).padStart(6, '0')}`);
          await mkdir(place, { recursive: true });
          await utimes(place, time, time);
        }),
      );
    await fill(0, MAX_WORKFLOWS - 1, new Date());
    const last = await store.create('ann', { name: 'Last', steps: STEPS });
    await expect(store.create('ann', { name: 'Over', steps: STEPS })).rejects.toThrow(TooManyWorkflows);
    expect(await readdir(join(folder, 'ann'))).toHaveLength(MAX_WORKFLOWS);
    await store.create('bob', { name: 'Other', steps: STEPS });
    await fill(0, MAX_WORKFLOWS - 1, new Date(0));
    const next = await store.create('ann', { name: 'Next', steps: STEPS });
    expect((await readdir(join(folder, 'ann'))).sort()).toEqual([last.id, next.id].sort());
  });
});

describe('a step', () => {
  test('has times and a note', async () => {
    const created = await store.create('ann', { name: 'Times', steps: STEPS });
    const begun = change({ step: 'write', status: 'in_progress' }, NOW)(created);
    const failed = change({ step: 'write', status: 'failed', note: 'denied' }, LATER)(begun);
    expect(failed.steps[1]).toEqual({ name: 'write', status: 'failed', note: 'denied', started_at: NOW, completed_at: LATER });
    const again = change({ step: 'write', status: 'in_progress' }, LATER)(failed);
    expect(again.steps[1]).toEqual({ name: 'write', status: 'in_progress', started_at: NOW });
    expect(change({ step: 'write', status: 'pending' }, LATER)(again).steps[1]).toEqual({ name: 'write', status: 'pending' });
  });

  test('keeps its last 200 changes', async () => {
    let workflow = await store.create('ann', { name: 'Long', steps: STEPS });
    for (let turn = 1; turn <= 250; turn += 1) workflow = change({ step: 'write', status: 'in_progress', note: `${turn}` })(workflow);
    expect(workflow.activity).toHaveLength(200);
    expect(workflow.activity.at(-1)?.note).toBe('250');
  });
});

async function versionsOf(id: string): Promise<string[]> {
  return (await readdir(join(folder, 'ann', id))).filter((name) => name.endsWith('.json')).sort();
}

const ANN = { id: 'ann', name: 'Ann', roles: [], admin: false };
const BOB = { id: 'bob', name: 'Bob', roles: [], admin: false };
const Summary = z.looseObject({
  id: z.string(),
  state: z.string(),
  progress: z.looseObject({ percentage: z.number() }),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
});
const Answer = z.object({
  isError: z.boolean().optional(),
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  structuredContent: z.record(z.string(), z.unknown()),
});
const Shown = z.object({ success: z.literal(true), workflow: Summary, status_uri: z.string() });
const Refused = z.object({
  success: z.literal(false),
  error: z.string(),
  message: z.string(),
  suggested_actions: z.array(z.string()).min(1),
});

/** Calls a tool after validating its input, as the server does. */
function opened() {
  const updates: string[] = [];
  const tools = workflowTools(store, (uri) => updates.push(uri), new Secrets());
  const signal = new AbortController().signal;
  const context = { signal, progress: () => {}, canElicitUrl: false, elicitUrl: () => Promise.reject(new Error('unsupported')) };
  return {
    updates,
    tools,
    async call(name: string, input: unknown, caller = ANN) {
      const tool = tools.find((each) => each.name === name);
      const checked = await tool?.input['~standard'].validate(input);
      if (tool === undefined || checked === undefined) throw new Error(`There is no ${name}.`);
      return Answer.parse(
        checked.issues === undefined
          ? await tool.call(checked.value, { ...context, caller })
          : await tool.refuse?.(checked.issues.map(({ message }) => message).join('; '), input, { ...context, caller }),
      );
    },
    read: async (uri: string, parameters: Record<string, unknown>, caller = ANN) =>
      workflowResources(store)
        .find((each) => each.uri === uri)
        ?.read(parameters, { caller, signal }),
  };
}

const ALL = 'workflow://workflows';
const ONE = 'workflow://workflows/{workflow_id}/status';

describe('the tools and the resources', () => {
  test('create and complete a workflow, and report every change', async () => {
    const { call, read, updates } = opened();
    const created = await call('workflow_create', { name: 'Import genomes', steps: STEPS });
    const { status_uri: uri, workflow } = Shown.parse(created.structuredContent);
    expect(workflow).toMatchObject({
      state: 'created',
      started_at: null,
      completed_at: null,
      progress: { total: 3, pending: 3, percentage: 0 },
    });
    for (const part of [workflow.id, 'created', ...STEPS, uri, 'workflow_update(']) expect(created.content[0].text).toContain(part);
    const at = { workflow_id: workflow.id };
    const states = [];
    for (const [step, status] of [
      ['collect', 'in_progress'],
      ['collect', 'completed'],
      ['write', 'failed'],
      ['write', 'completed'],
      ['push', 'skipped'],
    ]) {
      const { structuredContent } = await call('workflow_update', { ...at, step, status });
      const shown = Shown.parse(structuredContent).workflow;
      states.push([shown.state, shown.progress.percentage]);
      expect(await read(ONE, at)).toEqual(structuredContent['workflow']);
    }
    expect(states).toEqual([
      ['in_progress', 0],
      ['in_progress', 33],
      ['failed', 33],
      ['in_progress', 66],
      ['completed', 100],
    ]);
    expect(updates).toEqual(Array.from({ length: 6 }, () => [ALL, uri]).flat());
    const end = Summary.parse(await read(ONE, at));
    expect(end.completed_at).not.toBeNull();
    expect(end['recent_activity']).toHaveLength(6);
    expect(end['recent_activity']).toMatchObject([{ step: 'push', to: 'skipped' }, {}, {}, {}, {}, { note: expect.any(String) }]);
    await call('workflow_update', { ...at, step: 'push', status: 'skipped' });
    expect(updates).toHaveLength(12);
  });

  test('list the workflows of the caller with counts, the most recently changed first', async () => {
    const { call, read } = opened();
    expect(await read(ALL, {})).toMatchObject({ workflows: [], total: 0 });
    const ids = [];
    for (const name of ['One', 'Two'])
      ids.push(Shown.parse((await call('workflow_create', { name, steps: ['a'] })).structuredContent).workflow.id);
    await store.update(ownerOf(ANN), ids[0] ?? '', change({ step: 'a', status: 'completed' }, '2099-01-01T00:00:00.000Z'));
    expect(await read(ALL, {})).toMatchObject({
      workflows: [
        { id: ids[0], state: 'completed' },
        { id: ids[1], state: 'created' },
      ],
      total: 2,
      by_state: { created: 1, in_progress: 0, completed: 1, failed: 0 },
    });
    expect(await read(ALL, {}, BOB)).toMatchObject({ total: 0 });
    await expect(read(ONE, { workflow_id: ids[0] }, BOB)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(read(ONE, { workflow_id: 'nonsense' })).rejects.toMatchObject({ code: 'NotFound' });
    const complete = workflowResources(store).find(({ uri }) => uri === ONE)?.variables?.['workflow_id']?.complete;
    if (typeof complete !== 'function') throw new Error('Nothing completes the id.');
    const signal = new AbortController().signal;
    expect(await complete('tw', { caller: ANN, signal })).toEqual([ids[1]]);
    expect(await complete('', { caller: BOB, signal })).toEqual([]);
  });

  test('return errors with suggested actions', async () => {
    const { call, updates } = opened();
    const nothing = await call('workflow_update', { workflow_id: 'x', step: 'a', status: 'completed' });
    expect(nothing.content[0].text).toContain('workflow_create');
    const { id } = await store.create(ownerOf(ANN), { name: 'Import', steps: STEPS });
    const unknown = await call('workflow_update', { workflow_id: 'import-zzzzzz', step: 'write', status: 'completed' });
    expect(unknown.content[0].text).toContain(id);
    const foreign = await call('workflow_update', { workflow_id: id, step: 'write', status: 'completed' }, BOB);
    expect(foreign.content[0].text).not.toContain('Import"');
    const step = await call('workflow_update', { workflow_id: id, step: 'Write', status: 'completed' });
    for (const name of STEPS) expect(step.content[0].text).toContain(name);
    for (const answer of [nothing, unknown, foreign, step]) {
      expect(answer.isError).toBe(true);
      expect(Refused.parse(answer.structuredContent).error).toBe('NotFound');
    }
    expect(updates).toEqual([]);
  });

  test.each([
    ['no name', { name: ' ', steps: ['a'] }],
    ['a name that is too long', { name: 'x'.repeat(201), steps: ['a'] }],
    ['a multi-line name', { name: 'one\ntwo', steps: ['a'] }],
    ['no steps', { name: 'a', steps: [] }],
    ['too many steps', { name: 'a', steps: Array.from({ length: 101 }, (_, index) => `${index}`) }],
    ['a step twice', { name: 'a', steps: ['b', ' b'] }],
    ['unknown fields', { name: 'a', steps: ['b'], owner: 'bob' }],
  ])('reject %s', async (_what, input) => {
    const answer = await opened().call('workflow_create', input);
    expect(answer.isError).toBe(true);
    expect(Refused.parse(answer.structuredContent).error).toBe('InvalidInput');
    expect(await store.list(ownerOf(ANN))).toEqual([]);
  });

  test('enforce length limits', async () => {
    const { call } = opened();
    const steps = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(200, 's'));
    const { id } = Shown.parse((await call('workflow_create', { name: 'n'.repeat(200), steps })).structuredContent).workflow;
    const update = { workflow_id: id, step: steps[0], status: 'failed' };
    expect((await call('workflow_update', { ...update, note: 'x'.repeat(2_000) })).isError).toBeUndefined();
    expect((await call('workflow_update', { ...update, note: 'x'.repeat(2_001) })).isError).toBe(true);
    expect((await call('workflow_update', { ...update, status: 'done' })).isError).toBe(true);
  });

  test('have annotations', () => {
    const common = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
    expect(opened().tools.map(({ annotations, name }) => [name, annotations])).toMatchObject([
      ['workflow_create', { ...common, idempotentHint: false }],
      ['workflow_update', { ...common, idempotentHint: true }],
    ]);
  });
});
