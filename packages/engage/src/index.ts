/** The Engage Red Hat Support pack: from a Linux problem to a support case with a diagnostic bundle. */
import { join } from 'node:path';
import { definePack, type PackDefinition } from 'footbridge/pack';
import { claimPrivateFolder } from 'footbridge/state';
import { Failure } from './failure.js';
import { CONNECTION } from './jira/connection-record.js';
import { Connections } from './jira/connections.js';
import { PackOptions, settingsOf } from './options.js';
import { References } from './references.js';
import { resourcesOf } from './resources.js';
import { routesOf } from './routes.js';
import { Artifacts } from './sos/artifacts.js';
import { Jobs } from './sos/jobs.js';
import { jobUri, TOOL_META } from './surface.js';
import { toolsOf } from './tools/index.js';
import { Vault } from './vault/vault.js';
import { Consent } from './workflow/consent.js';
import { Sessions } from './workflow/sessions.js';

/** How often what is over is removed. */
const SWEEP_MS = 10 * 60 * 1000;

const pack: PackDefinition = definePack({
  name: '@footbridge/engage',
  options: PackOptions,
  async open(options, { folder, isLocal, log, reach, updated }) {
    const { connectionMs, jiraHosts, key, maxArtifactBytes, sosTimeoutMs, stateFolder } = settingsOf(options, process.env, folder);
    await claimPrivateFolder(stateFolder, 'Another folder can be chosen with the option `folder` of @footbridge/engage.');
    const references = await References.open(stateFolder);
    const sessions = new Sessions(stateFolder);
    const consent = new Consent({ references, sessions, stateFolder });
    const jobs = new Jobs({ stateFolder, references, timeoutMs: sosTimeoutMs, log: (text) => log.warn(text) });
    const artifacts = new Artifacts({ stateFolder, references, sessions, maxBytes: maxArtifactBytes });
    const connections = new Connections({
      vault: new Vault({ stateFolder, key, schema: CONNECTION }),
      stateFolder,
      ttlMs: connectionMs,
      allowedHosts: jiraHosts,
      local: isLocal,
      refused: (id) => log.error(`engage: what is stored of the connection ${id} is not as this server wrote it, so it is not used`),
    });
    const tell = (what: string) => (cause: unknown) => log.error(`engage: ${what}: ${String(cause)}`);
    const sweep = () => {
      jobs.recover().catch(tell('looking after jobs failed'));
      artifacts.sweep().catch(tell('removing old archives failed'));
      connections.sweep().catch((cause: unknown) => {
        // Without the right key nothing can be looked after, and every call that needs it says so.
        if (!(cause instanceof Failure)) tell('looking after connections failed')(cause);
      });
    };
    sweep();
    const timer = setInterval(sweep, SWEEP_MS).unref();
    const forget = jobs.onUpdate((id) => updated(jobUri(id)));
    return {
      skills: [join(import.meta.dirname, '..', 'skills')],
      resources: resourcesOf(jobs),
      tools: toolsOf({ artifacts, connections, consent, jobs, sessions }, reach, (tool, cause) => tell(tool)(cause)),
      toolMeta: { list_skills: TOOL_META, get_skill: TOOL_META },
      routes: routesOf({ connections, consent, unforeseen: tell('a request') }),
      async close() {
        clearInterval(timer);
        forget();
        await jobs.close();
      },
    };
  },
});

export default pack;
