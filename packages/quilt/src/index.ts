/** The Quilt pack: a data catalog as nineteen resources, and two tools that keep track of workflows. */
import { join } from 'node:path';
import { definePack, type PackDefinition } from 'footbridge/pack';
import { claimPrivateFolder, stateFolder } from 'footbridge/state';
import { adminResources } from './admin/resources.js';
import { athenaResources, tabulatorResources } from './athena/resources.js';
import { authResources } from './auth/resources.js';
import { Catalog } from './catalog.js';
import { Failure } from './failure.js';
import { guarded } from './guarded.js';
import { metadataResources } from './metadata/resources.js';
import { PackOptions } from './options.js';
import { permissionResources } from './permissions/resources.js';
import { Secrets } from './secrets.js';
import { workflowResources } from './workflows/resources.js';
import { WorkflowStore } from './workflows/store.js';
import { workflowTools } from './workflows/tools.js';

const CHOOSE_ANOTHER = 'Another folder can be chosen with the option `folder` of @footbridge/quilt.';
const ASK_OPERATOR = 'Ask whoever runs the server: its log says why. Another folder can be chosen with the option `folder` of the pack.';

const pack: PackDefinition = definePack({
  name: '@footbridge/quilt',
  options: PackOptions,
  open(options, { folder, log, updated }) {
    const state = stateFolder(options.folder, folder, 'quilt', process.env);
    const secrets = new Secrets();
    const catalog = new Catalog({ catalog: options.catalog, credentials: options.credentials, environment: process.env, secrets });
    const workflows = new WorkflowStore(join(state, 'workflows'), () =>
      claimPrivateFolder(state, CHOOSE_ANOTHER).catch((cause: unknown) => {
        // All other resources do without; which folder it is, is for whoever runs the server.
        log.error(`quilt: workflows cannot be kept: ${cause instanceof Error ? cause.message : String(cause)}`);
        throw new Failure('failed', 'The folder in which this server keeps workflows cannot be used.', { actions: [ASK_OPERATOR] });
      }),
    );
    const resources = [
      ...authResources(catalog),
      ...permissionResources(catalog, options.writeCheck),
      ...adminResources(catalog),
      ...athenaResources(catalog),
      ...metadataResources,
      ...workflowResources(workflows),
      ...tabulatorResources(catalog),
    ];
    return {
      resources: resources.map((resource) => guarded(resource, secrets)),
      tools: workflowTools(workflows, updated, secrets),
      close: async () => catalog.close(),
    };
  },
});

export default pack;
