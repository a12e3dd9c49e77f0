/** Keeps the focus where people are. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Brings the focus to `target` when `phase` changes and what had it is gone. It is never taken from a chat around the page. */
export function useFocusWhenLost(target: RefObject<HTMLElement | null>, phase: string): void {
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === phase) return;
    before.current = phase;
    if (document.hasFocus() && document.activeElement === document.body) target.current?.focus();
  }, [target, phase]);
}
