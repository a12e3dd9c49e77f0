/** The check that sos does not upload archives by itself. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { assertNoUpload } from '../src/sos/command.js';

function configuration(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'engage-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'sos.conf');
  writeFileSync(file, text);
  return file;
}

it.each([
  '[report]\nupload = true\n',
  '[global]\n  upload-url: https://example.org\n',
  '[clean]\n[report]\nupload_url=x\n',
  '[report]\nUpLoad = On\n',
  '[report]\r\nupload = yes\r\n',
  '[report]\nupload-url =\n  https://example.org\n',
  '[report]\nupload = no\nupload-url = x\n',
  '[report]\nupload-s3-endpoint = x\n',
  '[DEFAULT]\nupload = true\n[report]\n',
  '[DEFAULT]\nupload = true\n[global]\nupload = no\n[report]\n',
  '[global]\nupload = true\n[report]\nlog-size = 15\n',
])('rejects %j', async (text) => {
  await expect(assertNoUpload(configuration(text))).rejects.toMatchObject({
    code: 'unexpected_error',
    message: expect.stringContaining('configured to upload'),
  });
});

it.each([
  '',
  '[report]\n#upload = true\n',
  '[report]\n ; upload = true\n',
  '[collect]\nupload = true\n',
  '[report]\nlog-size = 15\n',
  '[report]\nupload = False\nupload-url =\n',
  '[report]\nupload = no\n',
  '[report]\nupload: 0\n',
  '[DEFAULT]\nupload = true\n[report]\nupload = off\n',
  '[global]\nupload = true\n[report]\nupload = false\n',
])('accepts %j', async (text) => {
  await expect(assertNoUpload(configuration(text))).resolves.toBeUndefined();
});

it('rejects an unreadable configuration', async () => {
  await expect(assertNoUpload(tmpdir())).rejects.toMatchObject({
    code: 'unexpected_error',
    message: expect.stringContaining('cannot be read'),
  });
});

it('accepts a missing configuration', async () => {
  await expect(assertNoUpload('/nowhere/sos.conf')).resolves.toBeUndefined();
});
