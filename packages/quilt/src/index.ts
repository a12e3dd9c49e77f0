/** The Quilt pack: a data catalog as 19 resources, and two tools that track workflows. */
import { join } from 'node:path';
import { definePack, type PackDefinition } from 'footbridge/pack';
import { claimPrivateFolder, stateFolder } from 'footbridge/state';
import * as z from 'zod/v4';
import { adminResources } from './admin/resources.js';
import { athenaResources, tabulatorResources } from './athena/resources.js';
import { authResources } from './auth/resources.js';
import { Catalog } from './catalog.js';
import { Failure, guardResource } from './failure.js';
import { normalizeUrl } from './login/quilt-files.js';
import { metadataResources } from './metadata/resources.js';
import { permissionResources } from './permissions/resources.js';
import { Secrets } from './secrets.js';
import { workflowResources } from './workflows/resources.js';
import { WorkflowStore } from './workflows/store.js';
import { workflowTools } from './workflows/tools.js';

const PackOptions = z
  .strictObject({
    catalog: z
      .string()
      .refine((text) => normalizeUrl(text) !== undefined, 'expected the URL of a catalog, such as https://catalog.example.org')
      .optional()
      .describe('The URL of the catalog. Default: QUILT_CATALOG_URL, else the one that quilt3 is configured for.'),
    credentials: z
      .enum(['auto', 'quilt', 'aws'])
      .default('auto')
      .describe('AWS credentials to use: issued by the registry (quilt), from the AWS configuration (aws), or whichever is available.'),
    writeCheck: z
      .boolean()
      .default(false)
      .describe('Whether permissions://discover checks which buckets are writable, with an attempt that audit logs show as a write.'),
    folder: z.string().min(1).optional().describe('Folder for workflows.'),
  })
  .describe('Options of @footbridge/quilt');

const CHOOSE_ANOTHER = 'Choose another folder with the option `folder` of @footbridge/quilt.';
const ASK_OPERATOR = 'Ask the operator of the server: the reason is in its log. The option `folder` of the pack sets another folder.';

const pack: PackDefinition = definePack({
  name: '@footbridge/quilt',
  options: PackOptions,
  open(options, { folder, log, updated }) {
    const state = stateFolder(options.folder, folder, 'quilt', process.env);
    const secrets = new Secrets();
    const catalog = new Catalog({ catalog: options.catalog, credentials: options.credentials, environment: process.env, secrets });
    const workflows = new WorkflowStore(join(state, 'workflows'), () =>
      claimPrivateFolder(state, CHOOSE_ANOTHER).catch((cause: unknown) => {
        // The path goes to the log only. Other resources do not need the folder.
        log.error(`quilt: workflows cannot be stored: ${cause instanceof Error ? cause.message : String(cause)}`);
        throw new Failure('failed', 'The folder for workflows cannot be used.', { actions: [ASK_OPERATOR] });
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
      resources: resources.map((resource) => guardResource(resource, secrets)),
      tools: workflowTools(workflows, updated, secrets),
      close: async () => catalog.close(),
    };
  },
});

export default pack;
