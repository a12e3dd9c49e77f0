/** Who may see an item. */
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
        .{item.requiresAdmin && !caller.admin && ' You can see that it exists, but not read it.'}
      </p>
      <p class="note">The same rules apply to tools, resources and the Skills extension.</p>
    </div>
  );
}

function Who({ item, isProtected }: { readonly item: Item; readonly isProtected: boolean }) {
  const { seenBy, requiresAdmin } = item;
  if (seenBy === 'admins')
    return (
      <p>
        <strong>Every caller</strong> sees that it exists; only <strong>admins</strong> can read it.
      </p>
    );
  if (seenBy === 'everybody')
    return (
      <p>
        <strong>Everyone</strong> {isProtected ? 'with a valid token' : 'who can reach this server'} can see and read it.
      </p>
    );
  if (seenBy.length === 0) return <p>No role includes it, so hosts cannot see it.</p>;
  return (
    <>
      <p>
        Callers with {seenBy.length === 1 ? 'this role' : 'any of these roles'} see it
        {requiresAdmin ? '; reading it requires the admin role too' : ''}:
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
