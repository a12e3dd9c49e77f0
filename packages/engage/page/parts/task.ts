/** An action started by a click: whether it is running, and its failure. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type PageFailure, toFailure, wasAborted } from '../workflow/failure.js';

export interface Task {
  readonly busy: boolean;
  readonly failure: PageFailure | undefined;
  /** Runs one action at a time; a failure is stored to be shown. */
  run(action: () => Promise<void>): Promise<void>;
}

export function useTask(): Task {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<PageFailure>();
  // Buttons are not disabled while running, since they would lose the focus; so they can be pressed twice.
  const running = useRef(false);
  return {
    busy,
    failure,
    async run(action) {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      setFailure(undefined);
      try {
        await action();
      } catch (cause) {
        if (!wasAborted(cause)) setFailure(toFailure(cause));
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
  };
}

/** A signal that is aborted when the component unmounts. */
export function useLeaving(): AbortSignal {
  const [controller] = useState(() => new AbortController());
  useEffect(() => () => controller.abort(), [controller]);
  return controller.signal;
}
