/** A started program that ends with the test. */
import { onTestFinished } from 'vitest';
import { RawClient, type StartOptions } from './client.js';
import type { World } from './folders.js';

/** Starts the program in a world. It is stopped after the test, and has to exit with 0. */
export async function serve(world: World, options: Omit<StartOptions, 'workingFolder' | 'home'> = {}): Promise<RawClient> {
  const client = await RawClient.start({ workingFolder: world.project, home: world.home, ...options });
  onTestFinished(async () => {
    await client.close();
  });
  return client;
}

/** The text of a tool's result. */
export function textOf(result: { content: { type: string; text?: string }[] }): string {
  return result.content.map((block) => block.text ?? '').join('\n');
}
