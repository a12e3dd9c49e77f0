/** Expands `${NAME}` and `${NAME:-default}`. */
import { ownField } from '../../json.js';

type Expansion = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string; readonly action: string };

// Alternatives in this order: escaped, complete, incomplete.
const VARIABLE = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;
const INSIDE = /^([A-Za-z_]\w*)(?::-(.*))?$/s;

/** As in a shell, the default applies to unset and empty variables. `$${` is a literal `${`. */
export function expandVariables(text: string, environment: NodeJS.ProcessEnv): Expansion {
  let failure: Expansion | undefined;
  const expanded = text.replace(VARIABLE, (found, inside: string | undefined) => {
    if (found === '$${') return '${';
    const [whole, name = '', fallback] = INSIDE.exec(inside ?? '') ?? [];
    const value = ownField(environment, name);
    if (whole === undefined) failure ??= MALFORMED;
    else if (value === undefined && fallback === undefined) failure ??= unset(name);
    return fallback !== undefined && (value === undefined || value === '') ? fallback : (value ?? '');
  });
  return failure ?? { ok: true, text: expanded };
}

/** As if no variable was set: defaults apply, and a variable without one stays as it is written. */
export function withoutVariables(text: string): string {
  return text.replace(VARIABLE, (found, inside: string | undefined) => {
    if (found === '$${') return '${';
    const [, , fallback] = INSIDE.exec(inside ?? '') ?? [];
    return fallback ?? found;
  });
}

/** The names of the variables in the text of a file, including those written with JSON escapes. */
export function variablesIn(text: string): readonly string[] {
  const found = [...withoutEscapes(text).matchAll(/\$?\$\{([A-Za-z_]\w{0,99})/g)];
  return [...new Set(found.flatMap(([all, name]) => (name === undefined || all.startsWith('$$') ? [] : [name])))];
}

/** Whether a JSON text may contain variables. */
export function mayHaveVariables(text: string): boolean {
  return withoutEscapes(text).includes('${');
}

/** Variables are written in ASCII. */
function withoutEscapes(text: string): string {
  return text.replace(/\\u00([0-9a-f]{2})/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

const MALFORMED: Expansion = {
  ok: false,
  message: 'Invalid variable after ${.',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what a person is to write
  action: 'Write ${NAME} or ${NAME:-default}, or $${ for a literal ${.',
};

function unset(name: string): Expansion {
  return {
    ok: false,
    message: `The environment variable ${name} is not set.`,
    action: `Set ${name} where footbridge is started, or give a default: \${${name}:-default}`,
  };
}
