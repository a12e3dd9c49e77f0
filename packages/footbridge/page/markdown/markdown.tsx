/** Renders untrusted markdown. */
import { useMemo } from 'preact/hooks';
import { splitDocument } from './frontmatter.js';
import { lex } from './lex.js';
import { type RenderContext, render } from './render.js';

export function Markdown({ text, around }: { readonly text: string; readonly around: RenderContext }) {
  const { fields, body } = useMemo(() => splitDocument(text), [text]);
  const tokens = useMemo(() => lex(body), [body]);
  return (
    <>
      {fields.length > 0 && (
        <table class="front-matter">
          <caption class="hidden">Front matter</caption>
          <tbody>
            {fields.map(({ name, value }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td dir="auto">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {tokens === undefined ? (
        <>
          <p class="note">Too long or too deeply nested to be laid out, so it is shown as it was written.</p>
          <pre>{body}</pre>
        </>
      ) : (
        <div class="markdown" dir="auto">
          {render(tokens, around)}
        </div>
      )}
    </>
  );
}
