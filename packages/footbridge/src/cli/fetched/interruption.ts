/** Aborts a fetch on a signal, so that git exits and the files of an unfinished download are removed. */
import { CommandError } from '../failure.js';

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

/** Runs `work`, and rejects if a signal has aborted `stop` meanwhile. A second signal exits at once. */
export async function stoppedBySignals<T>(stop: AbortController, work: () => Promise<T>): Promise<T> {
  const listeners = SIGNALS.map(([signal, exitCode]) => {
    const listener = () => {
      if (stop.signal.aborted) process.exit(exitCode);
      stop.abort(new CommandError('failed', 'Stopped. Nothing was written.', [], exitCode));
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  try {
    const result = await work();
    stop.signal.throwIfAborted();
    return result;
  } catch (cause) {
    throw stop.signal.aborted ? stop.signal.reason : cause;
  } finally {
    for (const remove of listeners) remove();
  }
}
