/** A form that calls `get_resource` as a model does. */
import { useState } from 'preact/hooks';
import type { PageData, PageTemplate } from '../../src/serve/http/page/shapes.js';
import { type Fields, isFields } from '../json.js';
import { callTool } from '../mcp.js';
import { ProblemNote } from '../parts/notices.js';
import { Title } from '../parts/title.js';
import { Problem } from '../request.js';
import { ToolResult } from './tool-result.js';

export function TryView({ data, uri }: { readonly data: PageData; readonly uri: string | undefined }) {
  return (
    <main class="page" tabIndex={-1}>
      <Title>Try get_resource</Title>
      <p class="lead">This tool reads any resource in hosts that support only tools. Leave the URI empty to list all resources.</p>
      <TryForm key={uri} data={data} uri={uri ?? ''} />
    </main>
  );
}

const MAX_SUGGESTIONS = 500;

type Outcome =
  | { readonly status: 'running' }
  | { readonly status: 'answered'; readonly input: Fields; readonly result: Fields }
  | { readonly status: 'failed'; readonly problem: Problem };

export interface TryFormProps {
  readonly data: PageData;
  readonly uri: string;
  /** Whether the URI cannot be changed. */
  readonly fixed?: boolean;
}

export function TryForm({ data, uri: given, fixed = false }: TryFormProps) {
  const [uri, setUri] = useState(given);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [written, setWritten] = useState('');
  const [outcome, setOutcome] = useState<Outcome>();
  const template = data.templates.find((each) => each.uri === uri.trim());
  const run = async (event: Event) => {
    event.preventDefault();
    setOutcome({ status: 'running' });
    try {
      const variables = template === undefined ? parseVariables(written) : filled(template, values);
      const input = { ...(uri.trim() === '' ? {} : { uri: uri.trim() }), ...(variables === undefined ? {} : { variables }) };
      setOutcome({ status: 'answered', input, result: await callTool('get_resource', input) });
    } catch (error) {
      setOutcome({ status: 'failed', problem: error instanceof Problem ? error : new Problem('refused', String(error)) });
    }
  };
  if (!data.tools.some(({ name }) => name === 'get_resource')) return <p class="note">You do not have access to the tool get_resource.</p>;
  return (
    <>
      <form class={fixed ? 'try' : 'try card'} onSubmit={run}>
        {!fixed && (
          <>
            <label for="try-uri">URI or template</label>
            <input
              id="try-uri"
              class="mono"
              list="try-uris"
              autocomplete="off"
              spellcheck={false}
              placeholder="skill://…"
              value={uri}
              onInput={(event) => setUri(event.currentTarget.value)}
            />
            <datalist id="try-uris">
              {suggested(data).map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </>
        )}
        {template !== undefined && <VariableFields template={template} values={values} change={setValues} />}
        {template === undefined && (
          <details>
            <summary>Variables as JSON</summary>
            <label for="try-variables" class="hidden">
              Variables as JSON
            </label>
            <textarea
              id="try-variables"
              class="mono"
              rows={3}
              spellcheck={false}
              placeholder='{ "id": "42" }'
              value={written}
              onInput={(event) => setWritten(event.currentTarget.value)}
            />
          </details>
        )}
        <button type="submit" class="primary" disabled={outcome?.status === 'running'}>
          {outcome?.status === 'running' ? 'Running …' : 'Run'}
        </button>
      </form>
      <p class="hidden" role="status">
        {outcome?.status === 'answered' && 'Answered'}
      </p>
      {outcome?.status === 'failed' && <ProblemNote problem={outcome.problem} />}
      {outcome?.status === 'answered' && <ToolResult input={outcome.input} result={outcome.result} />}
    </>
  );
}

interface VariableFieldsProps {
  readonly template: PageTemplate;
  readonly values: Readonly<Record<string, string>>;
  readonly change: (values: Readonly<Record<string, string>>) => void;
}

function VariableFields({ template: { variables }, values, change }: VariableFieldsProps) {
  return (
    <fieldset class="variables">
      <legend>Variables</legend>
      {variables.map(({ name, required, examples }) => (
        <div key={name}>
          <label for={`variable-${name}`}>
            {name}
            {!required && <span class="optional"> optional</span>}
          </label>
          <input
            id={`variable-${name}`}
            class="mono"
            list={`examples-${name}`}
            autocomplete="off"
            spellcheck={false}
            placeholder={examples.length === 0 ? '' : `e.g. ${examples.slice(0, 3).join(', ')}`}
            value={Object.hasOwn(values, name) ? (values[name] ?? '') : ''}
            onInput={(event) => change({ ...values, [name]: event.currentTarget.value })}
          />
          <datalist id={`examples-${name}`}>
            {examples.map((example) => (
              <option key={example} value={example} />
            ))}
          </datalist>
        </div>
      ))}
    </fieldset>
  );
}

/** Omits empty fields. */
function filled({ variables }: PageTemplate, values: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(
    variables.flatMap(({ name }) => {
      const value = Object.hasOwn(values, name) ? (values[name] ?? '') : '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

function parseVariables(written: string): Fields | undefined {
  if (written.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(written);
    if (isFields(value)) return value;
  } catch {
    // Reported below.
  }
  throw new Problem('refused', 'Variables must be a JSON object such as { "id": "42" }.');
}

function suggested({ templates, resources, skills }: PageData): readonly string[] {
  return [...templates, ...resources, ...skills].slice(0, MAX_SUGGESTIONS).map(({ uri }) => uri);
}
