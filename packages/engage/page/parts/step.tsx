/** One step of the workflow: number, state and content. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useFocusWhenLost } from './focus.js';

/** Skipped: the page was opened at a later step. */
export type StepState = 'done' | 'current' | 'later' | 'skipped';

const WORDS: Readonly<Record<StepState, string>> = { done: 'Done', current: 'Now', later: 'Later', skipped: 'Not done' };

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  /** Whether to focus the step when it becomes current; not when the page opens. */
  readonly takesFocus: boolean;
  /** When it changes and the focused element is gone, the heading is focused. */
  readonly phase?: string;
  readonly children?: ComponentChildren;
}

export function StepFrame({ number, title, state, takesFocus, phase = '', children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const current = state === 'current';
  // Moves the focus only when the step becomes current, and only within this page.
  useEffect(() => {
    if (current && takesFocus && document.hasFocus()) heading.current?.focus();
  }, [current]);
  useFocusWhenLost(heading, phase);
  return (
    <li class={`step ${state}`} {...(current ? { 'aria-current': 'step' } : {})}>
      <span class="number" aria-hidden="true">
        {state === 'done' ? <Tick /> : number}
      </span>
      <div class="content">
        <h2 ref={heading} tabIndex={-1}>
          <span class="hidden">Step {number}: </span>
          {title}
          <span class="state">{WORDS[state]}</span>
        </h2>
        {children}
      </div>
    </li>
  );
}

function Tick() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="2.2" aria-hidden="true">
      <path d="M3 8.5l3.4 3.4L13 4.6" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
