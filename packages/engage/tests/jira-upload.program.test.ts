/** Uploads to Jira. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { programOf } from './support/bundled-program.js';
import { failureOf } from './support/failures.js';
import { clientOf, fileOf, PAT } from './support/jira-fixtures.js';
import type { Misbehaviour } from './support/jira-misbehaviour.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { tracesOf } from './support/secrets.js';

let jira: JiraServer;
beforeAll(async () => {
  jira = await startJira({ pat: PAT });
});
afterEach(() => jira.behave());
afterAll(() => jira.close());

describe('an upload', () => {
  it.each<[Misbehaviour, string, RegExp]>([
    ['amid 413', 'artifact_invalid', /exceeds the attachment limit/],
    ['amid 200', 'upstream_unavailable', /whole file/],
    ['other size', 'upstream_unavailable', /whole file/],
    ['reset in upload', 'upstream_unavailable', /Check the attachments/],
    ['417 once', 'not_found', /issue does not exist/],
  ])('maps "%s" to %s', async (how, code, words) => {
    jira.misbehave(how, 'ABC-1');
    const { file } = await fileOf(randomBytes(20_000_000));
    expect(await failureOf(clientOf(jira).attach('ABC-1', file))).toMatchObject({ code, text: expect.stringMatching(words) });
  });

  it.each(['a"b.tar', 'a\r\nX-Evil: 1\r\n\r\n.tar', '../../etc/passwd', 'größe — 日本.tar', '\\"; name="other', ''])(
    'escapes the file name (%j)',
    async (name) => {
      const { file } = await fileOf(Buffer.from('12345'), name);
      const { filename } = await clientOf(jira).attach('ABC-1', file);
      expect(filename).toMatch(/^[^"\r\n/\\]+$/);
      if (name.includes('日本')) expect(filename).toBe(name);
      expect(jira.attachments.at(-1)?.bytes.toString()).toBe('12345');
    },
  );

  it('reads an early error response even if the server closes the connection', async () => {
    const program = await programOf(`
      import http from 'node:http';
      const server = http.createServer((request, response) => {
        let left = Math.random() * 3e6;
        request.on('data', ({ length }) => {
          left -= length;
          if (left > 0 || response.headersSent) return;
          request.pause();
          response.writeHead(413).end();
        });
      });
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));`);
    const child = spawn(process.execPath, [program]);
    try {
      const [port] = await once(child.stdout, 'data');
      const client = clientOf({ baseUrl: `http://127.0.0.1:${String(port).trim()}` });
      const { file } = await fileOf(randomBytes(20_000_000));
      for (let round = 0; round < 250; round++) expect((await failureOf(client.attach('ABC-1', file))).code).toBe('artifact_invalid');
    } finally {
      child.kill();
    }
  });

  it('fails with artifact_invalid if the file was truncated', async () => {
    const { file, path } = await fileOf(randomBytes(1_000_000));
    await truncate(path, 500_000);
    expect((await failureOf(clientOf(jira).attach('ABC-1', file))).code).toBe('artifact_invalid');
  });

  it('stops when aborted and leaves no connection open', async () => {
    const own = await startJira({ pat: PAT });
    own.misbehave('silent');
    const { file } = await fileOf(randomBytes(20_000_000));
    const client = clientOf(own);
    const stop = new AbortController();
    const reason = new Error('no longer wanted');
    const attached = client.attach('ABC-1', file, () => stop.abort(reason), stop.signal);
    await expect(attached).rejects.toBe(reason);
    await expect(client.attach('ABC-1', file, undefined, stop.signal)).rejects.toBe(reason);
    await expect.poll(() => own.openConnections()).toBe(0);
    expect(own.requests.length).toBe(1);
    await own.close();
  });

  it('uses constant memory', async () => {
    const content = randomBytes(20 * 1024 * 1024);
    const { path } = await fileOf(content);
    const program = await programOf(`
      import { open } from 'node:fs/promises';
      import { JiraClient } from '#dist/jira/client.js';
      const [baseUrl, pat, path] = process.argv.slice(2);
      const client = new JiraClient({ baseUrl: new URL(baseUrl + '/'), credentials: { mode: 'bearer_pat', pat } });
      const handle = await open(path);
      let most = 0;
      const watch = () => { const { arrayBuffers, heapUsed } = process.memoryUsage(); most = Math.max(most, arrayBuffers + heapUsed); };
      await client.attach('ABC-1', { name: 'a', sizeBytes: 1024 * 1024, handle });
      gc();
      watch();
      const before = most;
      await client.attach('ABC-1', { name: 'a', sizeBytes: 20 * 1024 * 1024, handle }, watch);
      console.log(JSON.stringify({ grown: most - before }));
      await handle.close();`);
    const child = spawn(process.execPath, ['--expose-gc', '--max-old-space-size=64', program, jira.baseUrl, PAT, path]);
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect(errors).toBe('');
    expect(tracesOf(PAT, output)).toEqual([]);
    expect(JSON.parse(output).grown).toBeLessThan(10 * 1024 * 1024);
    expect(jira.attachments.at(-1)?.bytes.equals(content)).toBe(true);
  });
});
