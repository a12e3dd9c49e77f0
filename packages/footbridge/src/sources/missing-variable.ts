/** The error for a template without values, for sources and the catalog. */
import { FootbridgeError, SEE_TEMPLATES } from '../errors.js';
import type { UriTemplate } from '../uri-template.js';

/** A required variable is missing. */
export function missingVariable(template: UriTemplate, names: readonly string[], values: readonly string[]): FootbridgeError {
  return new FootbridgeError('MissingTemplateVariable', `Template URI '${template.template}' requires variable(s): ${names.join(', ')}`, {
    details: 'Template URIs must include values for all variables.',
    suggestedActions: [
      ...(values.length === 0 ? [] : [`Valid variable values: ${values.slice(0, MOST).join(', ')}`]),
      `Call get_resource({ uri: "${template.template}", variables: { ${names.map((name) => `"${name}": "…"`).join(', ')} } }), or put the values into the URI.`,
      SEE_TEMPLATES,
    ],
  });
}

const MOST = 20;
