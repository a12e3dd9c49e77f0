/** What every resource of the pack has in common: JSON without secrets, and errors that say what to do. */
import type { Pack } from 'footbridge/pack';
import { Failure, toError } from './failure.js';
import type { Secrets } from './secrets.js';

export type Resource = NonNullable<Pack['resources']>[number];

export function guarded(resource: Resource, secrets: Secrets): Resource {
  return {
    ...resource,
    mimeType: 'application/json',
    async read(parameters, context) {
      try {
        return secrets.removeFromAll(await resource.read(parameters, context));
      } catch (cause) {
        if (!(cause instanceof Failure)) throw cause;
        throw toError(withoutSecrets(cause, secrets), resource.uri);
      }
    },
  };
}

function withoutSecrets({ actions, cause, kind, message, retryable }: Failure, secrets: Secrets): Failure {
  return new Failure(kind, secrets.removeFrom(message), { actions: actions.map((each) => secrets.removeFrom(each)), retryable, cause });
}
