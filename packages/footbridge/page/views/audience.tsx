/** Who may see something, in words. */
import type { PageData } from '../../src/serve/http/page/shapes.js';
import type { Item } from '../items.js';

export function AudienceTab({ item, data: { server, caller } }: { readonly item: Item; readonly data: PageData }) {
  return (
    <div class="prose">
      <Who item={item} isProtected={server.protected} />
      <p>
        You are <strong>{caller.name}</strong>
        {caller.roles.length === 0 ? (
          ', without roles'
        ) : (
          <>
            , with {caller.roles.length === 1 ? 'the role' : 'the roles'} {caller.roles.join(', ')}
          </>
        )}
        .{item.requiresAdmin && !caller.admin && ' You see that it is there, but reading it is refused.'}
      </p>
      <p class="note">
        The same rules hold for tools, resources and the Skills extension: a host sees neither more nor less by another route.
      </p>
    </div>
  );
}

function Who({ item, isProtected }: { readonly item: Item; readonly isProtected: boolean }) {
  const { seenBy, requiresAdmin } = item;
  if (seenBy === 'admins')
    return (
      <p>
        <strong>Everybody</strong> who may connect sees that it is there; only <strong>admins</strong> can read it.
      </p>
    );
  if (seenBy === 'everybody')
    return (
      <p>
        <strong>Everybody</strong> {isProtected ? 'with a valid token' : 'who can reach this server'} can see and read it.
      </p>
    );
  if (seenBy.length === 0) return <p>No role lists it, so hosts do not get to see it.</p>;
  return (
    <>
      <p>
        Callers with {seenBy.length === 1 ? 'this role' : 'any of these roles'} see it
        {requiresAdmin ? '; to read it one has to be an admin as well' : ''}:
      </p>
      <ul class="roles">
        {seenBy.map((role) => (
          <li key={role}>
            <code>{role}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
