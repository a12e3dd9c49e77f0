// Writes the JSON Schema of footbridge.json, which editors read, from the schema that the command checks with.
import { writeFileSync } from 'node:fs';

/** Takes the modules as they were built in `folder`, and writes next to them. */
export async function writeSchema(folder) {
  const { configJsonSchema } = await import(new URL('dist/cli/config/json-schema.js', folder));
  writeFileSync(new URL('footbridge.schema.json', folder), `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
}
