/** Both halves of a tool result: some hosts pass one to the model, some the other. */
import { type Fields, fieldsIn, isFields, textIn } from '../json.js';
import { dataUrl, RASTER } from '../markdown/image.js';
import { CopyButton, Scrolling } from '../parts/code.js';
import { sizeOf } from '../parts/size.js';

/** Characters shown. */
const MAX_SHOWN = 100_000;

export function ToolResult({ input, result }: { readonly input: Fields; readonly result: Fields }) {
  const failed = result['isError'] === true;
  const structure = isFields(result['structuredContent']) ? result['structuredContent'] : undefined;
  const call = `get_resource(${JSON.stringify(input, undefined, 1).replace(/\n\s*/g, ' ')})`;
  return (
    <section class="result" aria-label="Result">
      <p class="call">
        <code>{call}</code>
        <CopyButton text={call} label="Copy the call" />
      </p>
      {failed ? <Failure structure={structure ?? {}} /> : <p class="good">Success.</p>}
      <div class="halves">
        <section aria-label="content">
          <h2>content</h2>
          <p class="note">Gemini CLI, Qwen Code and opencode pass this to the model.</p>
          {fieldsIn(result['content']).map((block, at) => (
            <Block key={`${at} ${textIn(block, 'type')}`} block={block} />
          ))}
        </section>
        <section aria-label="structuredContent">
          <h2>structuredContent</h2>
          <p class="note">Codex and, in most cases, Claude Code pass this to the model.</p>
          {structure === undefined ? (
            <p>None: images, audio and large results are sent as content only.</p>
          ) : (
            <Text text={JSON.stringify(structure, undefined, 2)} />
          )}
        </section>
      </div>
    </section>
  );
}

function Failure({ structure }: { readonly structure: Fields }) {
  const actions = structure['suggested_actions'];
  return (
    <div class="problem" role="alert">
      <p>
        <strong>{textIn(structure, 'error') ?? 'Error'}</strong>
        {': '}
        {textIn(structure, 'message') ?? 'See the text below.'}
      </p>
      {Array.isArray(actions) && (
        <ul>
          {actions.map((action) => (
            <li key={String(action)}>{String(action)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Block({ block }: { readonly block: Fields }) {
  const text = textIn(block, 'text');
  const data = textIn(block, 'data');
  const mimeType = textIn(block, 'mimeType') ?? '';
  if (text !== undefined) return <Text text={text} />;
  if (data !== undefined && RASTER.test(mimeType))
    return <img class="picture" src={dataUrl(mimeType, data)} alt={`Returned ${mimeType}`} />;
  if (data !== undefined)
    return (
      <p>
        {mimeType}, {sizeOf(Math.floor((data.length * 3) / 4))}
      </p>
    );
  return <Text text={JSON.stringify(block, undefined, 2)} />;
}

function Text({ text }: { readonly text: string }) {
  return (
    <>
      <Scrolling>{text.slice(0, MAX_SHOWN)}</Scrolling>
      {text.length > MAX_SHOWN && <p class="note">… and {(text.length - MAX_SHOWN).toLocaleString('en')} more characters.</p>}
    </>
  );
}
