/** Upstream servers with their status, tools and prompts. */
import type { PageOffer, PageUpstream } from '../../src/serve/http/page/shapes.js';

export function Upstreams({ upstreams }: { readonly upstreams: readonly PageUpstream[] }) {
  return (
    <section aria-labelledby="upstreams">
      <h2 id="upstreams">Upstream servers</h2>
      {upstreams.length === 0 && <p class="note">No upstream servers are configured. Add them under "mcpServers" in footbridge.json.</p>}
      <ul class="upstreams">
        {upstreams.map((upstream) => (
          <li key={upstream.name} class="card">
            <Upstream upstream={upstream} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Upstream({ upstream: { kind, name, prompts, reason, status, tools } }: { readonly upstream: PageUpstream }) {
  return (
    <>
      <h3>
        {name} <span class={`badge ${status}`}>{status}</span>
      </h3>
      {reason !== undefined && (
        <p class="problem">
          {reason} <code>{kind}</code>
        </p>
      )}
      <Offers what="tool" offers={tools} />
      <Offers what="prompt" offers={prompts} />
    </>
  );
}

function Offers({ offers, what }: { readonly what: string; readonly offers: readonly PageOffer[] }) {
  if (offers.length === 0) return null;
  return (
    <details>
      <summary>
        {offers.length} {offers.length === 1 ? what : `${what}s`}
      </summary>
      <dl class="offers">
        {offers.map(({ description, name }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
