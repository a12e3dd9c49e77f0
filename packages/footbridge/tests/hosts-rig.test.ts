import { describe, expect, it } from 'vitest';
import { checksOf, type HostResult, required } from '../../../hosts/checks.js';
import { corpusSkills } from '../../../hosts/corpus/skills.js';
import { SHAPE_TITLES, SHAPES } from '../../../hosts/corpus/texts.js';
import { HOSTS } from '../../../hosts/hosts/index.js';
import { knowledgeOf, mentions } from '../../../hosts/knowledge.js';
import type { Turn } from '../../../hosts/model/api.js';
import { startSession } from '../../../hosts/model/session.js';
import { readOptions } from '../../../hosts/options.js';
import { isWhole, partIn } from '../../../hosts/parts.js';
import { hostsPage } from '../../../hosts/report.js';

const TEXT = 'one\ntwo 🧭\r\nthree "quoted"';
const FIRST = `[Part: characters 0-11 of 26. Next: skill({"name":"big","offset":11})]\n${TEXT.slice(0, 11)}`;
const LAST = `[Part: characters 11-26 of 26. This is the last part.]\n${TEXT.slice(11)}`;

describe('parts', () => {
  it('reads the range, the total and the next call from the first line', () => {
    expect(partIn(FIRST)).toEqual({
      from: 0,
      to: 11,
      total: 26,
      next: { tool: 'skill', input: { name: 'big', offset: 11 } },
      rest: TEXT.slice(0, 11),
    });
  });

  it('reads no next call from the last part', () => {
    expect(partIn(LAST)?.next).toBeUndefined();
  });

  it('reads a part that the host wraps in words and JSON', () => {
    const wrapped = `Wall time: 0.1 s\nOutput:\n${JSON.stringify([{ type: 'text', text: FIRST }])}`;
    expect(partIn(wrapped)).toEqual(partIn(FIRST));
  });

  it('reads a part from the structured half', () => {
    const first = { uri: 'x', text: TEXT.slice(0, 11), offset: 0, next_offset: 11, total: 26, next: 'skill({"name":"big","offset":11})' };
    const last = { uri: 'x', text: TEXT.slice(11), offset: 11, total: 26 };
    expect(partIn(JSON.stringify(first))).toEqual(partIn(FIRST));
    expect(
      isWhole(
        [first, last].map((part) => `Output:\n${JSON.stringify(part)}`),
        TEXT,
      ),
    ).toBe(true);
  });

  it('returns undefined for a text in one piece', () => {
    expect(partIn('Loading: big\n\n# Big')).toBeUndefined();
  });

  it('finds a text whole in one piece, in parts, and with words of the host around it', () => {
    expect(isWhole([`before ${TEXT} after`], TEXT)).toBe(true);
    expect(isWhole([JSON.stringify({ content: TEXT })], TEXT)).toBe(true);
    expect(isWhole([`${FIRST}\n<reminder>`, `${LAST}\n<reminder>`], TEXT)).toBe(true);
  });

  it('finds a text not whole if a part is missing, cut or out of order', () => {
    expect(isWhole([FIRST], TEXT)).toBe(false);
    expect(isWhole([FIRST, LAST.slice(0, -1)], TEXT)).toBe(false);
    expect(isWhole([LAST, FIRST], TEXT)).toBe(false);
    expect(isWhole([], TEXT)).toBe(false);
  });
});

describe('knowledge', () => {
  const skills = [
    { name: 'pdf-review', description: 'Review "PDF" files & forms.' },
    { name: 'pdf-review-checklist', description: 'Check PDF files.' },
  ];

  it('counts a name only where it is not part of a longer one', () => {
    expect(knowledgeOf([{ tools: [{ description: 'Skills: pdf-review-checklist' }] }], skills)).toEqual({ named: 1, described: 0 });
  });

  it('counts a description only if it is whole, as text, JSON or XML', () => {
    const asText = { a: 'pdf-review: Review "PDF" files & forms.' };
    const asJson = { a: JSON.stringify({ name: 'pdf-review', description: 'Review "PDF" files & forms.' }) };
    const asXml = { a: '<name>pdf-review</name><description>Review "PDF" files &amp; forms.</description>' };
    for (const request of [asText, asJson, asXml]) expect(knowledgeOf([request], skills)).toEqual({ named: 1, described: 1 });
    expect(knowledgeOf([{ a: 'pdf-review: Review "PDF" fil…' }], skills)).toEqual({ named: 1, described: 0 });
  });

  it('counts how often a name is mentioned', () => {
    expect(mentions({ a: 'pdf-review: x', b: ['pdf-review', 'pdf-review-checklist'] }, 'pdf-review')).toBe(2);
  });
});

describe('the scripted model', () => {
  const calls = [{ tool: 'skill', input: { name: 'big' } }];
  const turn = (names: readonly string[], results: readonly string[] = []): Turn => ({
    tools: names.map((name) => ({ name, definition: { name } })),
    results: results.map((text, index) => ({ id: `call_${index + 1}`, text })),
  });

  it('finds the result of its call after the host has removed older ones', () => {
    const session = startSession({ label: 'bridge', calls, bareNames: false });
    const names = ['bridge_skill'];
    session.move(turn(names), {});
    session.move(turn(names, [FIRST]), {});
    const { tools } = turn(names);
    expect(session.move({ tools, results: [] }, {})).toMatchObject({ id: 'call_2' });
    expect(session.move({ tools, results: [{ id: 'call_2', text: LAST }] }, {})).toMatchObject({ kind: 'say' });
    expect(session.experience.results).toEqual([[FIRST, LAST]]);
  });

  it('calls the tool, follows the parts and stops', () => {
    const session = startSession({ label: 'bridge', calls, bareNames: false });
    const names = ['skill', 'mcp__bridge__skill'];
    expect(session.move(turn([]), {})).toMatchObject({ kind: 'say' });
    expect(session.move(turn(names), { turn: 1 })).toMatchObject({ kind: 'call', tool: 'mcp__bridge__skill', input: { name: 'big' } });
    expect(session.move(turn(names, [FIRST]), { turn: 2 })).toMatchObject({ kind: 'call', input: { name: 'big', offset: 11 } });
    expect(session.move(turn(names, [FIRST, LAST]), { turn: 3 })).toMatchObject({ kind: 'say' });
    expect(session.isDone).toBe(true);
    expect(session.experience).toEqual({ first: { turn: 1 }, before: [{ turn: 1 }], results: [[FIRST, LAST]] });
  });

  it('searches for a tool that the host withholds', () => {
    const session = startSession({ label: 'bridge', calls, bareNames: false });
    const body = { system: 'Deferred:\nmcp__bridge__skill' };
    expect(session.move(turn(['ToolSearch']), body)).toMatchObject({ tool: 'ToolSearch', input: { query: 'select:mcp__bridge__skill' } });
    expect(session.move(turn(['ToolSearch', 'mcp__bridge__skill'], ['found']), body)).toMatchObject({ tool: 'mcp__bridge__skill' });
    expect(session.experience.before).toHaveLength(2);
  });

  it('reports a tool that cannot be reached', () => {
    const session = startSession({ label: 'bridge', calls, bareNames: false });
    session.move(turn(['read']), {});
    expect(session.experience.problem).toBe('The host does not offer skill.');
  });
});

describe('the corpus', () => {
  it('has a thousand skills with names of their own, and fifty that fit the budget', () => {
    const skills = corpusSkills(1000);
    expect(new Set(skills.map(({ name }) => name)).size).toBe(1000);
    const lengths = skills.map(({ description }) => description.length).sort((a, b) => a - b);
    expect(lengths[500]).toBeGreaterThan(200);
    expect(lengths[500]).toBeLessThan(300);
    expect(lengths.at(-1)).toBeLessThanOrEqual(1024);
    const fifty = skills.slice(0, 50).reduce((sum, { name, description }) => sum + name.length + description.length + 5, 0);
    expect(fifty).toBeLessThan(15_500);
    expect(corpusSkills(10)).toEqual(skills.slice(0, 10));
  });

  it('has texts of the requested length in every shape', () => {
    for (const title of SHAPE_TITLES) {
      const bytes = Buffer.byteLength(SHAPES[title](60));
      expect(bytes, title).toBeGreaterThan(59_000);
      expect(bytes, title).toBeLessThan(63_000);
    }
  });
});

const row = { client: { name: 'a-client', protocol: '2025-11-25' }, setting: '', tokens: 9000, added: 1000, isLoaded: true };
const result: HostResult = {
  id: 'a-host',
  title: 'A Host',
  version: '1.2.3',
  searchesFirst: false,
  catalogue: [
    { ...row, skills: 10, named: 10, described: 9 },
    { ...row, skills: 1000, named: 150, described: 0 },
  ],
  texts: [{ title: '5 KB', isWhole: true, calls: 2 }],
  folders: [
    { folder: './.agents/skills', isNative: true, alone: 1, together: 2 },
    { folder: './.claude/skills', isNative: false, alone: 0, together: 1 },
  ],
};

describe('checks and page', () => {
  it('requires all names and descriptions of a few skills, and most of many', () => {
    expect(required(50)).toEqual({ named: 50, described: 50 });
    expect(required(200)).toEqual({ named: 200, described: 40 });
    expect(required(1000)).toEqual({ named: 150, described: 0 });
  });

  it('fails for missing and duplicate entries', () => {
    expect(checksOf(result).map(({ isPassed }) => isPassed)).toEqual([false, true, true, false, true]);
    expect(checksOf({ ...result, problem: 'not installed' })).toEqual([
      { title: 'A Host can be driven', isPassed: false, detail: 'not installed' },
    ]);
  });

  it('writes a table with a row for each host', () => {
    const page = hostsPage([result], { date: '2026-11-16', footbridge: '0.1.0' });
    expect(page).toContain('Measured on 2026-11-16 with Footbridge 0.1.0: 3 passed, 2 failed.');
    expect(page).toContain('| Host | 10 skills | 1,000 skills |\n| --- | --- | --- |\n| A Host 1.2.3 | 10, 9 | 150, 0 |');
    expect(page).toContain('| A Host 1.2.3 | `a-client` | 2025-11-25 |');
    expect(page).toContain('- A Host: skill in ./.agents/skills: mentioned 1 times without Footbridge, 2 times with it\n');
  });
});

describe('options', () => {
  it('measures all hosts by default, and rejects unknown ones and invalid numbers', () => {
    expect(readOptions([], HOSTS)).toMatchObject({ hosts: { length: 10 }, counts: [10, 50, 200, 1000], isWholeRun: true });
    expect(readOptions(['--only', 'codex', '--skills', '10'], HOSTS)).toMatchObject({ hosts: [{ id: 'codex' }], isWholeRun: false });
    expect(readOptions(['--only', 'emacs'], HOSTS)).toContain("Unknown host 'emacs'");
    expect(readOptions(['--skills', '0'], HOSTS)).toContain("Invalid --skills '0'");
    expect(readOptions(['--help'], HOSTS)).toBeUndefined();
  });
});
