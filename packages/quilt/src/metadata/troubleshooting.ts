/** What goes wrong with the metadata of packages. */

interface Mistake {
  readonly problem: string;
  readonly symptom: string;
  readonly cause: string;
  readonly cure: string;
  readonly example?: { readonly wrong: string; readonly right: string };
}

const MISTAKES: readonly Mistake[] = [
  {
    problem: 'The top level is not an object',
    symptom: 'set_meta accepts it, but a workflow says that it "is not of type \'object\'", or the catalog shows no metadata.',
    cause: 'set_meta does not check what it is given: a list, a text or the JSON text of an object is stored as it is.',
    cure: 'Pass a dictionary. Parse JSON text first, and put a list under a key.',
    example: { wrong: 'pkg.set_meta(json.dumps(metadata))', right: 'pkg.set_meta(metadata)' },
  },
  {
    problem: 'A value is not a JSON type',
    symptom:
      'TypeError: Object of type datetime (or int64, ndarray, Path, set, Decimal) is not JSON serializable, when building or pushing.',
    cause: 'The manifest is JSON, and Python objects beyond str, int, float, bool, None, list and dict have no form in it.',
    cure: 'Convert first: isoformat() for dates, item() for a number of numpy or pandas, tolist() for arrays, str() for paths, sorted() for sets.',
    example: { wrong: '{"rows": df["n"].sum()}', right: '{"rows": int(df["n"].sum())}' },
  },
  {
    problem: 'A date is in a local format',
    symptom: 'Sorting and date filters give wrong results, or a schema refuses the value.',
    cause: '03/04/2025 is April in some places and March in others, and JSON has no dates of its own.',
    cure: 'Use ISO 8601 texts: YYYY-MM-DD for a day, with a time zone for a moment.',
    example: { wrong: '{"created": "3/4/25"}', right: '{"created": "2025-04-03"}' },
  },
  {
    problem: 'NaN or Infinity',
    symptom: 'The push works, but afterwards the package cannot be opened in the catalog, or Athena reports malformed JSON.',
    cause: 'The JSON module of Python writes NaN and Infinity as bare words, which no other reader of JSON accepts.',
    cure: 'Leave such values out. json.dumps(metadata, allow_nan=False) finds them before the push does harm.',
    example: { wrong: '{"metrics": {"auc": float("nan")}}', right: '{"metrics": {"accuracy": 0.94}}' },
  },
  {
    problem: 'Keys that are not text',
    symptom: "A key 1 comes back as \"1\"; or TypeError: '<' not supported between instances of 'int' and 'str'.",
    cause: 'Keys in JSON are always text, and quilt3 sorts them to compute the top hash, which fails with a mixture.',
    cure: 'Make every key a text, or use a list of objects where numbers matter.',
    example: {
      wrong: '{"plates": {1: "ok", 2: "bad"}}',
      right: '{"plates": [{"plate": 1, "result": "ok"}, {"plate": 2, "result": "bad"}]}',
    },
  },
  {
    problem: 'Keys that differ in case or spelling',
    symptom: 'A search or a query finds only some of the packages, or a schema says that a property is required which seems to be there.',
    cause: 'Keys are compared exactly: Organism, organism and "organism " are three keys.',
    cure: 'Settle on lower case with underscores, and require the keys in a schema. While a spelling is being put right, set additionalProperties to false to find the others.',
    example: { wrong: '{"Genome Build": "GRCh38"}', right: '{"genome_build": "GRCh38"}' },
  },
  {
    problem: 'null, empty texts and "n/a"',
    symptom: 'A workflow says "None is not of type \'string\'", or filters count packages that have no value.',
    cause: 'A field that is there with null is not the same as a field that is not there: a schema with type string refuses it.',
    cure: 'Remove fields that have no value: {key: value for key, value in metadata.items() if value not in (None, "", [], {})}.',
    example: { wrong: '{"doi": null, "license": "n/a"}', right: '{}' },
  },
  {
    problem: 'Numbers and booleans as text',
    symptom: "\"'9' is not of type 'integer'\", or 10 sorts before 9.",
    cause: 'Values that come from a CSV file, a form or the environment are text.',
    cure: 'Convert them before set_meta. Identifiers with leading zeros, such as "00042", stay text.',
    example: { wrong: '{"sample_count": "9", "paired": "True"}', right: '{"sample_count": 9, "paired": true}' },
  },
  {
    problem: 'One value here, a list there',
    symptom: 'Athena fails with a type mismatch, or a schema says that a value "is not of type \'array\'".',
    cause: 'With a single entry the brackets were left out.',
    cure: 'A field that can have several values is always a list.',
    example: { wrong: '{"tags": "liver"}', right: '{"tags": ["liver"]}' },
  },
  {
    problem: 'The push needs a workflow',
    symptom: "QuiltException: Workflow required, but none specified; or: There is no '...' workflow in config.",
    cause:
      'The bucket has .quilt/workflows/config.yml, in which workflows are required unless is_workflow_required is false, and no default_workflow is set or the name is wrong.',
    cure: 'Read s3://BUCKET/.quilt/workflows/config.yml, and pass one of the keys under "workflows", not its "name".',
    example: {
      wrong: 'pkg.push("team/name", registry="s3://BUCKET")',
      right: 'pkg.push("team/name", registry="s3://BUCKET", workflow="alpha", message="First version")',
    },
  },
  {
    problem: 'The metadata does not fit the schema of the workflow',
    symptom: "QuiltException: Metadata failed validation: '...' is a required property.",
    cause: 'The workflow has a metadata_schema, and only the first thing it objects to is reported.',
    cure: 'Load the schema from the url under "schemas" in config.yml, and list all errors at once: [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(metadata)].',
  },
  {
    problem: 'The schema of a workflow is not accepted',
    symptom: "QuiltException: Unsupported meta-schema; or: Currently we don't support $ref in schema.",
    cause: 'Workflows take JSON Schema draft 7 without $ref; the schema names another draft or is put together from parts.',
    cure: 'Set "$schema" to "http://json-schema.org/draft-07/schema#" and write the parts out in place. The schemas in metadata://templates/{template} need only the first.',
  },
  {
    problem: 'A wrong date passes validation',
    symptom: 'The schema has "format": "date", and "tomorrow" is accepted.',
    cause: 'Validators may treat format as a remark only, and that of quilt3 does.',
    cure: 'Add a pattern beside the format.',
    example: {
      wrong: '{"type": "string", "format": "date"}',
      right: '{"type": "string", "format": "date", "pattern": "^\\\\d{4}-\\\\d{2}-\\\\d{2}$"}',
    },
  },
  {
    problem: 'Metadata that was there is gone',
    symptom: 'After set_meta only the new keys are left.',
    cause: 'set_meta replaces all metadata; it does not merge.',
    cure: 'Begin with what there is.',
    example: { wrong: 'pkg.set_meta({"status": "final"})', right: 'pkg.set_meta({**pkg.meta, "status": "final"})' },
  },
  {
    problem: 'A change does not show in the catalog',
    symptom: 'set_meta was called, but the package looks as before.',
    cause:
      'set_meta changes the package in memory. Versions are immutable: metadata is part of the top hash, and a change of it is a new version.',
    cure: 'Push again with a message. Older versions keep the old metadata. The search index follows after a short while.',
  },
  {
    problem: 'Too much metadata',
    symptom: 'Packages open slowly, search leaves fields out, or the catalog shows only a part.',
    cause: 'Tables, logs or lists of thousands of files were put into the metadata of the package, which is read and indexed as a whole.',
    cure: 'Keep it to what one searches for, a few kilobytes. Put tables into a file of the package, and what is true of one file into the metadata of that file.',
    example: { wrong: '{"samples": [... 20,000 objects ...]}', right: '{"sample_count": 20000, "sample_sheet": "samples.csv"}' },
  },
];

export const TROUBLESHOOTING = {
  mistakes: MISTAKES,
  check_before_a_push: [
    'json.dumps(metadata, allow_nan=False) raises nothing: every value is a JSON type.',
    'isinstance(metadata, dict) is true, and all keys are text in lower case with underscores.',
    'json.loads(json.dumps(metadata)) == metadata: nothing changes on the way.',
    'jsonschema.validate(metadata, json_schema) passes, with the schema of the template or of the workflow of the bucket.',
    'Nothing in it is secret or names a patient.',
  ],
  see_also: ['metadata://templates', 'metadata://examples'],
} as const;
