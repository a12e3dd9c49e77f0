/** Errors that are shown to a host. */
import { redactInput } from './redact.js';
import type { UriTemplate } from './uri-template.js';

/** The kind of failure; a model can act on it without reading the message. */
export type ErrorCode =
  | 'InvalidURI'
  | 'MissingTemplateVariable'
  | 'InvalidTemplateVariable'
  | 'Unauthorized'
  | 'NotFound'
  | 'ResourceExecutionError';

/** Suggestions that errors share. */
export const SEE_RESOURCES = 'Call get_resource() to see all available resources.';
export const SEE_TEMPLATES = 'Call get_resource() to see all templates and their variables.';

/** Used where an error has no suggestions of its own. */
const USUAL_ACTIONS: Readonly<Record<ErrorCode, string>> = {
  InvalidURI: SEE_RESOURCES,
  MissingTemplateVariable: SEE_TEMPLATES,
  InvalidTemplateVariable: SEE_TEMPLATES,
  Unauthorized: "Ask the server's operator for access.",
  NotFound: SEE_RESOURCES,
  ResourceExecutionError: "Ask the server's operator to look into it.",
};

export interface FootbridgeErrorOptions {
  /** What to do next, in the imperative. Default: a suggestion for the code. */
  readonly suggestedActions?: readonly string[];
  /** Technical detail that is safe to show: no path, no secret. */
  readonly details?: string;
  /** Whether the same call may succeed later. Default false. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('footbridge.error');

/** An error with a code, a message and suggestions. Its texts may be shown to any caller. */
export class FootbridgeError extends Error {
  /** Also recognises errors of another copy of this module, which a pack may bring. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  readonly [BRAND] = true;
  readonly code: ErrorCode;
  readonly details: string | undefined;
  /** Never empty. */
  readonly suggestedActions: readonly string[];
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: FootbridgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (!Object.hasOwn(USUAL_ACTIONS, code))
      throw new TypeError(`Unknown error code '${String(code)}'. Use one of: ${Object.keys(USUAL_ACTIONS).join(', ')}.`);
    const { suggestedActions = [] } = options;
    this.name = 'FootbridgeError';
    this.code = code;
    this.details = options.details;
    this.suggestedActions = suggestedActions.length > 0 ? suggestedActions : [USUAL_ACTIONS[code]];
    this.retryable = options.retryable ?? false;
  }
}

/** The code of a Node system error, such as `ENOENT`; undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Why something failed. `fetch` puts the reason into `cause`, which has only a code if several addresses were tried. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && cause.message !== '' ? cause.message : (systemCode(cause) ?? 'unknown reason');
}

const LONGEST_ECHO = 200;

/** A caller's text made safe to repeat in a message: without secrets, on one line, without control characters, bounded. */
export function echo(text: string): string {
  const line = redactInput(text).replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ');
  return line.length > LONGEST_ECHO ? `${line.slice(0, LONGEST_ECHO)}…` : line;
}

/** A required variable is missing. */
export function missingVariable(template: UriTemplate, names: readonly string[], values: readonly string[]): FootbridgeError {
  return new FootbridgeError('MissingTemplateVariable', `Template URI '${template.template}' requires variable(s): ${names.join(', ')}`, {
    details: 'Template URIs must include values for all variables.',
    suggestedActions: [
      ...(values.length === 0 ? [] : [`Valid variable values: ${values.slice(0, MAX).join(', ')}`]),
      `Call get_resource({ uri: "${template.template}", variables: { ${names.map((name) => `"${name}": "…"`).join(', ')} } }), or put the values into the URI.`,
      SEE_TEMPLATES,
    ],
  });
}

const MAX = 20;
