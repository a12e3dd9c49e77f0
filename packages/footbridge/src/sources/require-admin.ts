/** Access to resources for administrators. */
import { echo, FootbridgeError } from '../errors.js';
import type { Caller } from './resource.js';

/** Throws when the caller is not an administrator. */
export function requireAdmin(uri: string, caller: Caller): void {
  if (caller.admin) return;
  throw new FootbridgeError('Unauthorized', `Resource '${echo(uri)}' requires admin privileges.`, {
    details: 'This resource is restricted to administrators.',
    suggestedActions: [
      'Ask the server\'s operator for the role "admin".',
      'Call get_resource() to see which resources need admin rights (requires_admin) and which do not.',
    ],
  });
}
