/** The schema of `footbridge.json` in the language of editors. */
import * as z from 'zod/v4';
import { ConfigSchema } from './schema.js';

export function configJsonSchema() {
  return { title: 'footbridge.json', ...z.toJSONSchema(ConfigSchema, { io: 'input' }) };
}
