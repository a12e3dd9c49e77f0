/** Configuration snippets for each host. */
import type { PageData } from '../../src/serve/http/page/shapes.js';
import { hostSetups, installCommands, installLinks } from '../hosts.js';
import { CodeBox } from '../parts/code.js';
import { Title } from '../parts/title.js';

export function SetupView({ data: { server } }: { readonly data: PageData }) {
  return (
    <main class="page" tabIndex={-1}>
      <Title>Set up a host</Title>
      <p class="lead">Hosts connect at this address, over Streamable HTTP:</p>
      <CodeBox text={server.endpoint} label="Copy the address" />
      {server.protected && (
        <p class="note">
          This server requires a token. Set it in the environment variable <code>FOOTBRIDGE_TOKEN</code>, or replace{' '}
          <code>&lt;token&gt;</code> with it.
        </p>
      )}
      <p class="actions begin">
        {installLinks(server.endpoint, server.protected).map(({ href, label }) => (
          <a key={label} class="button primary" href={href}>
            {label}
          </a>
        ))}
      </p>
      {installCommands(server.endpoint, server.protected).map(({ name, text }) => (
        <div key={name} class="command">
          <p class="note">{name}, in a terminal:</p>
          <CodeBox text={text} label={`Copy the command for ${name}`} />
        </div>
      ))}
      <h2 class="by-hand">By hand</h2>
      <div class="setups">
        {hostSetups(server.endpoint, server.protected).map(({ name, where, text }) => (
          <section key={name} class="card">
            <h3>{name}</h3>
            <p class="note">{where}</p>
            <CodeBox text={text} label={`Copy the set-up for ${name}`} />
          </section>
        ))}
      </div>
    </main>
  );
}
