/** Lets what a server said be read after it has stopped listening. */
import type { Socket } from 'node:net';
import { systemCode } from 'footbridge/pack';

type Done = (error?: Error | null) => void;

/**
 * A server may refuse amid an upload and close at once. Node gives a connection up when a write to it fails, with the refusal
 * unread; so such a write is left without an end here, and it is reading that finds the refusal, or that there is none.
 */
export function readOn(socket: Socket): void {
  const write = socket._write.bind(socket);
  socket._write = (chunk, encoding, done) => write(chunk, encoding, unlessGone(done));
  const writeMany = socket._writev?.bind(socket);
  if (writeMany !== undefined) socket._writev = (chunks, done) => writeMany(chunks, unlessGone(done));
}

function unlessGone(done: Done): Done {
  return (error) => {
    const code = systemCode(error);
    if (code !== 'EPIPE' && code !== 'ECONNRESET') done(error);
  };
}
