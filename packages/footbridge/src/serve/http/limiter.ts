import type { HttpLimits } from './options.js';
export interface Limiter {
  take(callerId: string, kind: 'work' | 'list'): number;
  enter(callerId: string): boolean;
  leave(callerId: string): void;
}
export function createLimiter(_limits: HttpLimits, _usage: unknown): Limiter {
  return { take: () => 0, enter: () => true, leave: () => {} };
}
