/** The program: `main` with the arguments and streams of this process. */
import { processIo } from './io.js';
import { main } from './main.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader has closed the pipe, as `head` does.
  if (error.code === 'EPIPE') process.exit(0);
});

main(process.argv.slice(2), processIo).then((code) => {
  process.exitCode = code;
});
