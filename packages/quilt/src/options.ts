/** What whoever runs the server decides. */
import * as z from 'zod/v4';
import { addressOf } from './login/address.js';

/** Beside the pack's name in the configuration. */
export const PackOptions = z
  .strictObject({
    catalog: z
      .string()
      .refine((text) => addressOf(text) !== undefined, 'write the address of a catalog, such as https://catalog.example.org')
      .optional()
      .describe('The address of the catalog. Default: QUILT_CATALOG_URL, else the one that quilt3 is configured for.'),
    credentials: z
      .enum(['auto', 'quilt', 'aws'])
      .default('auto')
      .describe(
        'Whose AWS credentials are used: those lent by the registry (quilt), those of the AWS configuration (aws), or what is there.',
      ),
    writeCheck: z.boolean().default(true).describe('Whether permissions://discover finds out which buckets may be written to.'),
    folder: z.string().min(1).optional().describe('Where workflows are kept.'),
  })
  .describe('Options of @footbridge/quilt');
