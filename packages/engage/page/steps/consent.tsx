/** Shows what will be collected and from where; the click on its button is the person's consent. */
import { useState } from 'preact/hooks';
import type { Context } from '../bridge/bridge.js';
import { Facts } from '../parts/notices.js';
import type { Wishes } from '../workflow/collect.js';

const PLUGIN = /^[A-Za-z0-9_-]+$/;
const LOG_SIZE = /^\d+[kKmMgG]?$/;

interface Entered {
  readonly plugins: string;
  readonly logSize: string;
  readonly redaction: boolean;
}

interface ConsentProps {
  readonly context: Context;
  readonly collect: (wishes: Wishes) => void;
}

export function Consent({ context, collect }: ConsentProps) {
  const [entered, setEntered] = useState<Entered>({ plugins: '', logSize: '', redaction: false });
  const [mistake, setMistake] = useState('');
  const named = machineName();
  const machine = named ?? (context.place === 'page' ? context.machine : 'the server’s machine');
  const plugins = entered.plugins.split(/[\s,]+/).filter((name) => name !== '');
  const submit = (event: Event) => {
    event.preventDefault();
    const found = mistakeIn(plugins, entered.logSize);
    setMistake(found);
    if (found === '') collect(wishesOf(plugins, entered));
  };
  return (
    <form onSubmit={submit} noValidate>
      <Facts
        facts={[
          {
            name: 'What',
            value: whatOf(plugins, entered.redaction),
          },
          {
            name: 'From',
            value: fromOf(named, context),
          },
          { name: 'Goes to', value: 'A private folder on that machine. Nothing leaves the machine in this step.' },
          { name: 'Takes', value: 'Often several minutes' },
        ]}
      />
      <Choices entered={entered} change={setEntered} />
      {mistake !== '' && (
        <p class="problem" role="alert">
          {mistake}
        </p>
      )}
      <button type="submit" class="primary consent">
        <strong>Yes, collect an sosreport from {machine}</strong>
        <span>Nothing leaves the machine in this step</span>
      </button>
    </form>
  );
}

/** Embedded by the server; undefined in a static page. */
function machineName(): string | undefined {
  const name = document.querySelector('meta[name=machine]')?.getAttribute('content') ?? '';
  return name === '' || name === '__MACHINE__' ? undefined : name;
}

function fromOf(named: string | undefined, context: Context): string {
  if (named !== undefined) return `${named}, the machine that this server runs on`;
  return context.place === 'page' ? `${context.machine}, the machine that serves this page` : 'The machine that this server runs on';
}

function whatOf(plugins: readonly string[], redaction: boolean): string {
  const what =
    plugins.length > 0
      ? `An sosreport with only the plugins ${plugins.join(', ')}.`
      : 'An sosreport: configuration, packages, hardware, network and log lines.';
  return `${what} ${redaction ? 'Host names, addresses and user names are masked.' : 'It can contain host names, addresses and user names.'}`;
}

function mistakeIn(plugins: readonly string[], logSize: string): string {
  const wrong = plugins.find((name) => !PLUGIN.test(name));
  if (wrong !== undefined) return `“${wrong}” cannot be the name of a plugin: only letters, digits, - and _ are in one.`;
  if (logSize.trim() !== '' && !LOG_SIZE.test(logSize.trim()))
    return 'The log size must be a number, optionally followed by k, m or g, such as 50m.';
  return '';
}

function wishesOf(plugins: readonly string[], { logSize, redaction }: Entered): Wishes {
  return {
    ...(plugins.length === 0 ? {} : { only_plugins: plugins }),
    ...(logSize.trim() === '' ? {} : { log_size: logSize.trim() }),
    ...(redaction ? { redaction } : {}),
  };
}

function Choices({ entered, change }: { readonly entered: Entered; readonly change: (next: Entered) => void }) {
  return (
    <details class="choices">
      <summary>Collect less, or mask names</summary>
      <div class="fields">
        <label for="plugins">Only these plugins</label>
        <input
          id="plugins"
          class="mono"
          placeholder="networking, systemd"
          aria-describedby="plugins-note"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          value={entered.plugins}
          onInput={(event) => change({ ...entered, plugins: event.currentTarget.value })}
        />
        <p id="plugins-note" class="note">
          Leave it empty to collect what sos finds useful.
        </p>
        <label for="log-size">Maximum size per log</label>
        <input
          id="log-size"
          class="mono short"
          placeholder="50m"
          autocapitalize="off"
          autocomplete="off"
          spellcheck={false}
          value={entered.logSize}
          onInput={(event) => change({ ...entered, logSize: event.currentTarget.value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={entered.redaction}
            onChange={(event) => change({ ...entered, redaction: event.currentTarget.checked })}
          />
          <span>Mask host names, user names and addresses</span>
        </label>
      </div>
    </details>
  );
}
