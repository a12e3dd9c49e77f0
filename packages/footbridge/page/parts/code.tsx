/** Code blocks and copy buttons. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [feedback, setFeedback] = useState('');
  useEffect(() => {
    if (feedback === '') return;
    const timer = setTimeout(() => setFeedback(''), 2000);
    return () => clearTimeout(timer);
  }, [feedback]);
  const copy = async () => setFeedback((await copyText(text)) ? 'Copied' : 'Select and copy');
  return (
    <button type="button" class="quiet copy" aria-label={label} onClick={copy}>
      <span aria-live="polite">{feedback === '' ? 'Copy' : feedback}</span>
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard API requires https or localhost.
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'hidden';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

/** Preformatted text that scrolls if it is too wide. */
export function Scrolling({ children }: { readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre tabIndex={0}>{children}</pre>
  );
}

/** A command that is broken between words only, and never after the dashes of an option. */
function words(text: string) {
  return text.split(' ').flatMap((word, at) => [
    ...(at === 0 ? [] : [' ']),
    <span key={at} class="word">
      {word}
    </span>,
  ]);
}

export function CodeBox({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code-box">
      <Scrolling>
        <code>{text.includes('\n') ? text : words(text)}</code>
      </Scrolling>
      <CopyButton text={text} label={label} />
    </div>
  );
}
