/** Tabs, moved between with the arrow keys. */
import type { ComponentChildren } from 'preact';

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
      <div class="tabs" role="tablist" aria-label={label}>
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
