/** The Engage Red Hat Support pack: collects an sosreport and attaches it to a Jira issue. */
import { join } from 'node:path';
import { definePack, type PackDefinition } from 'footbridge/pack';
import { claimPrivateFolder } from 'footbridge/state';
import type * as z from 'zod/v4';
import { Failure } from './failure.js';
import { CONNECTION } from './jira/connection-store.js';
import { Connections } from './jira/connections.js';
import { PackOptions, settingsOf } from './options.js';
import { createResources } from './pages.js';
import { References } from './references.js';
import { createRoutes } from './routes.js';
import { Artifacts } from './sos/artifacts.js';
import { Jobs } from './sos/jobs.js';
import { jobUri, TOOL_META } from './surface.js';
import { connectTool } from './tools/connect.js';
import { attachTool, connectionStatusTool, disconnectTool, listAttachmentsTool } from './tools/jira.js';
import { fetchTool, generateTool, jobStatusTool } from './tools/sosreport.js';
import { type EngageTool, engageTool } from './tools/tool.js';
import { mintConsentTool, selectProductTool, startTool } from './tools/workflow.js';
import { Vault } from './vault/vault.js';
import { Consent, Sessions } from './workflow/consent.js';

const SWEEP_INTERVAL_MS = 10 * 60 * 1000;

const pack: PackDefinition = definePack({
  name: '@footbridge/engage',
  options: PackOptions,
  async open(options, { folder, isLocal, log, reach, updated }) {
    const { connectionMs, jiraHosts, key, maxArtifactBytes, sosTimeoutMs, stateFolder } = settingsOf(options, process.env, folder);
    await claimPrivateFolder(stateFolder, 'Choose another folder with the option `folder` of @footbridge/engage.');
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
      onDamaged: (id) => log.error(`engage: the stored connection ${id} is damaged and is ignored`),
    });
    const logError = (what: string) => (cause: unknown) => log.error(`engage: ${what}: ${String(cause)}`);
    const sweep = () => {
      jobs.recover().catch(logError('recovering jobs failed'));
      artifacts.sweep().catch(logError('removing expired archives failed'));
      connections.sweep().catch((cause: unknown) => {
        // Without the right key nothing can be read; every call that needs it reports that.
        if (!(cause instanceof Failure)) logError('removing expired connections failed')(cause);
      });
    };
    sweep();
    const timer = setInterval(sweep, SWEEP_INTERVAL_MS).unref();
    const tool = <Schema extends z.ZodType>(definition: EngageTool<Schema>) => engageTool(definition, logError(definition.name));
    const unsubscribe = jobs.onUpdate((id) => updated(jobUri(id)));
    return {
      skills: [join(import.meta.dirname, '..', 'skills')],
      resources: createResources(jobs),
      tools: [
        tool(startTool),
        tool(selectProductTool(sessions)),
        tool(mintConsentTool(consent)),
        tool(generateTool(consent, jobs)),
        tool(jobStatusTool(jobs)),
        tool(fetchTool(artifacts)),
        tool(connectTool(connections, reach)),
        tool(connectionStatusTool(connections)),
        tool(listAttachmentsTool(connections)),
        tool(attachTool(connections, artifacts)),
        tool(disconnectTool(connections)),
      ],
      toolMeta: { list_skills: TOOL_META, get_skill: TOOL_META },
      routes: createRoutes({ connections, consent, onUnexpected: logError('a request') }),
      async close() {
        clearInterval(timer);
        unsubscribe();
        await jobs.close();
      },
    };
  },
});

export default pack;
