/** Shows how far the collection is, by the plugins that are through, and for how long it has run. */
import { useEffect, useState } from 'preact/hooks';
import type { Progress } from '../bridge/bridge.js';

/** Every plugin would be too much to listen to. */
const ANNOUNCED_EVERY_S = 10;

export function Running({ since, progress }: { readonly since: number; readonly progress: Progress | undefined }) {
  const seconds = useSecondsSince(since);
  const where = progress?.total === undefined ? 'Working …' : `Plugin ${progress.done} of ${progress.total}`;
  const told = useSlowly(`${where} ${progress?.message ?? ''}`, Math.floor(seconds / ANNOUNCED_EVERY_S));
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
        {told}
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

/** The text as it was when `turn` last changed. */
function useSlowly(text: string, turn: number): string {
  const [told, setTold] = useState(text);
  // The turn decides, not the text.
  useEffect(() => setTold(text), [turn]);
  return told;
}

function durationOf(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
