/** What all resources of the pack share: JSON without secrets, and errors that say what to do. */
import type { Pack } from 'footbridge/pack';
import { Failure, toError } from './failure.js';
import type { Secrets } from './secrets.js';

export type Resource = NonNullable<Pack['resources']>[number];

export function guardResource(resource: Resource, secrets: Secrets): Resource {
  return {
    ...resource,
    mimeType: 'application/json',
    async read(parameters, context) {
      try {
        return secrets.redactAll(await resource.read(parameters, context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const { actions, cause, kind, message, retryable } = error;
        const redacted = actions.map((each) => secrets.redact(each));
        throw toError(new Failure(kind, secrets.redact(message), { actions: redacted, retryable, cause }), resource.uri);
      }
    },
  };
}
