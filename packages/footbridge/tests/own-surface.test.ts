/** The surface of `footbridge` with the example skills, recorded: a change of it is a change for every host. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from './support/command.js';
import { createWorld } from './support/folders.js';

const EXAMPLES = join(import.meta.dirname, '..', '..', '..', 'examples', 'skills');
/** Update it with `npm run test:unit -- own-surface -u`. */
const RECORDED = join(import.meta.dirname, '..', 'surface.json');

it('offers exactly the tools, resources and prompts in surface.json', async () => {
  const world = createWorld();
  cpSync(EXAMPLES, join(world.project, 'skills'), { recursive: true });
  const { code, stderr, stdout } = await run(world, 'surface', '--json', '--prompts', '--skills', 'skills');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).not.toContain(world.project);
  await expect(stdout).toMatchFileSnapshot(RECORDED);
});
