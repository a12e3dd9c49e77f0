// Writes the JSON Schema of footbridge.json for editors, from the schema that the command validates with.
import { writeFileSync } from 'node:fs';

/** Uses the compiled modules in `folder`, and writes into `folder`. */
export async function writeSchema(folder) {
  const { configJsonSchema } = await import(new URL('dist/cli/config/schema.js', folder));
  writeFileSync(new URL('footbridge.schema.json', folder), `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
}
