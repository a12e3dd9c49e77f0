/** Notes shown instead of content: loading, or a problem. */
import type { ComponentChildren } from 'preact';
import type { Problem } from '../request.js';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

export function ProblemNote({ problem, children }: { readonly problem: Problem; readonly children?: ComponentChildren }) {
  return (
    <div class="problem" role="alert">
      <p>
        {problem.code !== undefined && <strong>{problem.code}: </strong>}
        {problem.message}
      </p>
      {children}
    </div>
  );
}
