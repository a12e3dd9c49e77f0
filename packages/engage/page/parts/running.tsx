/** Shows the progress and duration of the collection. */
import { useEffect, useState } from 'preact/hooks';
import type { Progress } from '../bridge/bridge.js';

/** Screen readers should not announce every plugin. */
const ANNOUNCED_EVERY_S = 10;

export function Running({ since, progress }: { readonly since: number; readonly progress: Progress | undefined }) {
  const seconds = useSecondsSince(since);
  const where = progress?.total === undefined ? 'Working …' : `Plugin ${progress.done} of ${progress.total}`;
  const announced = useSlowly(`${where} ${progress?.message ?? ''}`, Math.floor(seconds / ANNOUNCED_EVERY_S));
  const measured = progress?.total === undefined ? {} : { value: Math.min(progress.done, progress.total), max: progress.total };
  return (
    <div class="running">
      <div class="running-head">
        <strong>{where}</strong>
        <span class="note">{durationOf(seconds)}</span>
      </div>
      <progress aria-label="Collecting the sosreport" {...measured} />
      <p class="note message">
        {progress?.message ?? 'This can take several minutes. You can leave this page open and do something else.'}
      </p>
      <p class="hidden" role="status">
        {announced}
      </p>
    </div>
  );
}

function useSecondsSince(since: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.floor((now - since) / 1000));
}

/** The text at the last change of `turn`. */
function useSlowly(text: string, turn: number): string {
  const [kept, setKept] = useState(text);
  // Depends on `turn` only.
  useEffect(() => setKept(text), [turn]);
  return kept;
}

function durationOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
