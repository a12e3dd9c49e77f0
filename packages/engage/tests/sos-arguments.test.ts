import { expect, test } from 'vitest';
import { sosArguments } from '../src/sos/command.js';
import { readSosOutput, type SosProgress } from '../src/sos/output.js';
import { codeOf } from './support/folder.js';

const BASE = ['report', '--batch', '--tmp-dir', '/jobs/1'];

test('builds a command line that never prompts', () => {
  expect(sosArguments({}, '/jobs/1')).toEqual(BASE);
  expect(sosArguments({ onlyPlugins: ['host', 'kernel'], logSize: '50m', redaction: true }, '/jobs/1')).toEqual([
    ...BASE,
    '--only-plugins=host,kernel',
    '--log-size=50',
    '--clean',
    '--no-update',
  ]);
  expect(sosArguments({ enablePlugins: ['a'], disablePlugins: ['-b'], redaction: false }, '/jobs/1')).toEqual([
    ...BASE,
    '--enable-plugins=a',
    '--skip-plugins=-b',
  ]);
});

test.each([
  ['1', 1],
  ['1k', 1],
  ['1025K', 2],
  ['7M', 7],
  ['2g', 2048],
])('converts a log size of %s to %d MiB', (logSize, mebibytes) => {
  expect(sosArguments({ logSize }, '/jobs/1')).toContain(`--log-size=${mebibytes}`);
});

test.each([
  { onlyPlugins: ['a'], enablePlugins: ['b'] },
  { onlyPlugins: ['a'], disablePlugins: ['b'] },
  { onlyPlugins: ['a,b'] },
  { onlyPlugins: [''] },
  { enablePlugins: ['a b'] },
  { disablePlugins: ['a=b'] },
  { onlyPlugins: Array(101).fill('a') },
  { logSize: '0' },
  { logSize: '0k' },
  { logSize: '' },
  { logSize: '-1' },
  { logSize: '1.5m' },
  { logSize: '5t' },
])('rejects %j', async (request) => {
  expect(await codeOf(() => sosArguments(request, '/jobs/1'))).toBe('validation_error');
});

function read(...chunks: string[]) {
  const shown: SosProgress[] = [];
  const output = readSosOutput((progress) => shown.push(progress));
  for (const chunk of chunks) output.push(Buffer.from(chunk));
  output.end();
  return { shown, findings: output.findings };
}

test.each(['sosreport', 'sos report'])('finds the archive of "%s", however the output is chunked', (name) => {
  const text = `x\nYour ${name} has been generated and saved in:\n\n\t/jobs/1/ä.tar.xz\n\n Size\t3KiB\n`;
  for (const bytes of [1, 2, 7, 1000]) {
    const output = readSosOutput(() => undefined);
    const all = Buffer.from(text);
    for (let at = 0; at < all.length; at += bytes) output.push(all.subarray(at, at + bytes));
    output.end();
    expect(output.findings.archivePath).toBe('/jobs/1/ä.tar.xz');
  }
});

test('progress never decreases, and no other output is passed on', () => {
  const { shown } = read(
    '  Starting 2/3   kernel   [Running: host kernel]\n  Starting 1/3   host\n  Starting 3/3 <b>evil</b>\nsecret\n  Finishing plugins  [Running: x]\n',
    '\n  Finished running plugins\nCreating compressed archive...\n',
  );
  expect(shown.map(({ done, message }) => [done, message])).toEqual([
    [1, 'Collecting kernel'],
    [1, 'Collecting host'],
    [2, 'Finishing the last plugins'],
    [2, 'Finishing the last plugins'],
    [3, 'Packing the archive'],
  ]);
});

test('drops an endless line', () => {
  const { findings } = read(...Array(1000).fill('x'.repeat(65_536)), '\nYour sos report has been generated and saved in:\n/a');
  expect(findings.archivePath).toBe('/a');
});
