/** Alerts and lists of facts. */
import type { ComponentChildren } from 'preact';
import type { PageFailure } from '../workflow/failure.js';

export function FailureNote({ failure, children }: { readonly failure: PageFailure; readonly children?: ComponentChildren }) {
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{failure.message}</strong> {failure.action}
      </p>
      <p class="code">
        Code <code>{failure.code}</code>
      </p>
      {children !== undefined && <div class="actions">{children}</div>}
    </div>
  );
}

export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly mono?: boolean;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(({ name, value, mono }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class={mono ? 'mono' : ''}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A time in the person's locale and time zone; the text itself if it is invalid. */
export function timeOf(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
