/** Tabs, moved between with the arrow keys. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface TabEntry<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly entries: readonly TabEntry<Name>[];
  readonly current: Name;
  readonly choose: (name: Name) => void;
  readonly children: ComponentChildren;
}

export function Tabs<Name extends string>({ label, entries, current, choose, children }: TabsProps<Name>) {
  const list = useRef<HTMLDivElement>(null);
  // On a phone, the tab that a link opens may be beyond the edge.
  useLayoutEffect(() => {
    const selected = document.getElementById(`tab-${current}`);
    if (list.current !== null && selected !== null) showInMiddle(selected, list.current);
  }, [current]);
  const move = (event: KeyboardEvent) => {
    const at = entries.findIndex(({ name }) => name === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: entries.length - 1 }[event.key];
    const next = to === undefined ? undefined : entries.at(to % entries.length);
    if (next === undefined) return;
    event.preventDefault();
    choose(next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label}>
        {entries.map((entry) => (
          <button
            key={entry.name}
            type="button"
            role="tab"
            id={`tab-${entry.name}`}
            aria-selected={entry.name === current}
            aria-controls="panel"
            tabIndex={entry.name === current ? 0 : -1}
            onClick={() => choose(entry.name)}
            onKeyDown={move}
          >
            {entry.label}
          </button>
        ))}
      </div>
      <div id="panel" role="tabpanel" tabIndex={-1} aria-labelledby={`tab-${current}`}>
        {children}
      </div>
    </>
  );
}

/** Unlike `scrollIntoView`, leaves the page where it is. */
function showInMiddle(element: HTMLElement, inside: HTMLElement): void {
  const [box, frame] = [element.getBoundingClientRect(), inside.getBoundingClientRect()];
  inside.scrollLeft += box.left + box.width / 2 - frame.left - frame.width / 2;
}
