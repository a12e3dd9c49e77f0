/** Loading state of asynchronous data. */
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../request.js';

export type Loaded<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly value: T }
  | { readonly status: 'failed'; readonly problem: Problem };

/** Loads when `key` or `version` changes; on a new version the old value stays until the new one arrives. */
export function useLoaded<T>(key: string, version: number, load: (key: string) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ readonly key: string; readonly loaded: Loaded<T> }>();
  useEffect(() => {
    let wanted = true;
    const show = (loaded: Loaded<T>) => {
      if (wanted) setState({ key, loaded });
    };
    load(key).then(
      (value) => show({ status: 'ready', value }),
      (error: unknown) => show({ status: 'failed', problem: error instanceof Problem ? error : new Problem('refused', String(error)) }),
    );
    return () => {
      wanted = false;
    };
  }, [key, version, load]);
  return state?.key === key ? state.loaded : { status: 'loading' };
}
