/** Keyboard focus. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Moves the focus to `target` when `phase` changes and the focused element is gone. Never takes it from outside the page. */
export function useFocusWhenLost(target: RefObject<HTMLElement | null>, phase: string): void {
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === phase) return;
    before.current = phase;
    if (document.hasFocus() && document.activeElement === document.body) target.current?.focus();
  }, [target, phase]);
}
