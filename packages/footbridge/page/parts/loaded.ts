/** Something that is asked for, and what became of it. */
import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../request.js';

export type Loaded<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'ready'; readonly value: T }
  | { readonly status: 'failed'; readonly problem: Problem };

/** Loads whenever `key` is another, and again when `version` is; until then what was there before stays. */
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
