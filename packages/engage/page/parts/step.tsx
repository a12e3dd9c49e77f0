/** One step of the workflow: its number, its state, and what there is to do or what was done. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useFocusWhenLost } from './focus.js';

/** What is skipped can still be done: the page was opened at a later step. */
export type StepState = 'done' | 'current' | 'later' | 'skipped';

const WORDS: Readonly<Record<StepState, string>> = { done: 'Done', current: 'Now', later: 'Later', skipped: 'Not done' };

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  /** Whether the focus comes here when the step becomes the current one; not when the page opens. */
  readonly takesFocus: boolean;
  /** What is shown in it. When that changes and takes the focus away with it, the focus comes to the heading. */
  readonly phase?: string;
  readonly children?: ComponentChildren;
}

export function StepFrame({ number, title, state, takesFocus, phase = '', children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const current = state === 'current';
  // Only becoming current moves the focus, and only within this page: it is not taken from a chat around it.
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
