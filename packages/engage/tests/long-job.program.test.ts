/** A job that takes longer than a host waits for a call. */
import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { fakeSos } from './support/fake-sos.js';
import { startStdio, stateOf } from './support/program.js';
import { shiftedClock } from './support/shifted-clock.js';

it('returns running after 50 seconds, continues, and can be fetched when completed', async () => {
  const world = createWorld();
  const sos = fakeSos(world);
  const clock = shiftedClock(world);
  const done = world.path('outside/done');
  sos.script(`echo '  Starting 1/2   host            [Running: host]'
while [ ! -e '${done}' ]; do sleep 0.1; done
echo data > "$DIR/sosreport-late.tar.xz"
printf 'Your sosreport has been generated and saved in:\\n\\t%s\\n' "$DIR/sosreport-late.tar.xz"`);
  const host = await startStdio(world, { env: clock.env, through: sos.through });
  await host.call('select_engage_product', { product: 'linux' });
  const { consent_token } = (await host.call('mint_engage_consent_token', { permission_granted: true })).structuredContent;
  const generating = host.call('generate_sosreport', { consent_token });
  const jobs = stateOf(world, 'jobs');
  await vi.waitFor(() => expect(readdirSync(jobs)).toHaveLength(1), 20_000);
  clock.forward(50_000);
  const late = await generating;
  expect(late.isError).not.toBe(true);
  const { job_id, status } = late.structuredContent;
  expect({ status, text: late.content[0].text }).toEqual({ status: 'running', text: expect.stringContaining(job_id) });

  const look = async () => (await host.call('get_generate_sosreport_status', { job_id })).structuredContent;
  expect((await look()).status).toBe('running');
  world.write('outside/done', '');
  await vi.waitFor(async () => expect((await look()).status).toBe('completed'), 20_000);
  const { fetch_reference } = await look();
  expect((await host.call('fetch_sosreport', { fetch_reference })).structuredContent).toMatchObject({
    archive_name: 'sosreport-late.tar.xz',
  });
});
