const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves on the first signal. A second one exits at once, through `process.exit`, so that child processes are ended too. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS)
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        resolve();
      });
  });
}
