/** Where the program begins. */
import { runStdio } from './commands/serve.js';
import { servingOptions } from './serving-options.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader of our output went away, as `| head` does.
  if (error.code === 'EPIPE') process.exit(0);
});

run(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`footbridge error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  },
);

async function run(argv: readonly string[]): Promise<number> {
  const serving = process.stdin.isTTY === true ? undefined : servingOptions(argv);
  if (serving === undefined) return (await import('./main.js')).main(argv);
  await runStdio(serving);
  return 0;
}
