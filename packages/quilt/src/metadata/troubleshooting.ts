/** Common mistakes in the metadata of packages. */

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
    cause: 'set_meta does not validate its argument: a list, a string or serialized JSON is stored as it is.',
    cure: 'Pass a dictionary. Parse JSON text first, and put a list under a key.',
    example: { wrong: 'pkg.set_meta(json.dumps(metadata))', right: 'pkg.set_meta(metadata)' },
  },
  {
    problem: 'A value is not a JSON type',
    symptom:
      'TypeError: Object of type datetime (or int64, ndarray, Path, set, Decimal) is not JSON serializable, when building or pushing.',
    cause: 'The manifest is JSON, which has no representation for Python objects other than str, int, float, bool, None, list and dict.',
    cure: 'Convert first: isoformat() for dates, item() for a number of numpy or pandas, tolist() for arrays, str() for paths, sorted() for sets.',
    example: { wrong: '{"rows": df["n"].sum()}', right: '{"rows": int(df["n"].sum())}' },
  },
  {
    problem: 'A date is in a local format',
    symptom: 'Sorting and date filters give wrong results, or a schema refuses the value.',
    cause: '03/04/2025 is April in some places and March in others, and JSON has no date type.',
    cure: 'Use ISO 8601: YYYY-MM-DD for a date, with a time zone for a time.',
    example: { wrong: '{"created": "3/4/25"}', right: '{"created": "2025-04-03"}' },
  },
  {
    problem: 'NaN or Infinity',
    symptom: 'The push works, but afterwards the package cannot be opened in the catalog, or Athena reports malformed JSON.',
    cause: 'The JSON module of Python writes NaN and Infinity as bare words, which no other reader of JSON accepts.',
    cure: 'Omit such values. json.dumps(metadata, allow_nan=False) detects them before the push.',
    example: { wrong: '{"metrics": {"auc": float("nan")}}', right: '{"metrics": {"accuracy": 0.94}}' },
  },
  {
    problem: 'Keys that are not strings',
    symptom: "A key 1 comes back as \"1\"; or TypeError: '<' not supported between instances of 'int' and 'str'.",
    cause: 'Keys in JSON are always strings, and quilt3 sorts them to compute the top hash, which fails with mixed types.',
    cure: 'Use string keys, or a list of objects.',
    example: {
      wrong: '{"plates": {1: "ok", 2: "bad"}}',
      right: '{"plates": [{"plate": 1, "result": "ok"}, {"plate": 2, "result": "bad"}]}',
    },
  },
  {
    problem: 'Keys that differ in case or spelling',
    symptom: 'A search or a query finds only some of the packages, or a schema reports a missing property that seems to be present.',
    cause: 'Keys are compared exactly: Organism, organism and "organism " are three keys.',
    cure: 'Use lower case with underscores, and require the keys in a schema. Set additionalProperties to false temporarily to find other spellings.',
    example: { wrong: '{"Genome Build": "GRCh38"}', right: '{"genome_build": "GRCh38"}' },
  },
  {
    problem: 'null, empty strings and "n/a"',
    symptom: 'A workflow says "None is not of type \'string\'", or filters count packages that have no value.',
    cause: 'A field with null differs from a missing field: a schema with type string rejects it.',
    cure: 'Remove fields without a value: {key: value for key, value in metadata.items() if value not in (None, "", [], {})}.',
    example: { wrong: '{"doi": null, "license": "n/a"}', right: '{}' },
  },
  {
    problem: 'Numbers and booleans as strings',
    symptom: "\"'9' is not of type 'integer'\", or 10 sorts before 9.",
    cause: 'Values from a CSV file, a form or the environment are strings.',
    cure: 'Convert them before set_meta. Identifiers with leading zeros, such as "00042", stay strings.',
    example: { wrong: '{"sample_count": "9", "paired": "True"}', right: '{"sample_count": 9, "paired": true}' },
  },
  {
    problem: 'Sometimes one value, sometimes a list',
    symptom: 'Athena fails with a type mismatch, or a schema says that a value "is not of type \'array\'".',
    cause: 'The brackets were omitted for a single entry.',
    cure: 'Always use a list for a field that can have several values.',
    example: { wrong: '{"tags": "liver"}', right: '{"tags": ["liver"]}' },
  },
  {
    problem: 'The push requires a workflow',
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
    problem: 'The metadata does not match the schema of the workflow',
    symptom: "QuiltException: Metadata failed validation: '...' is a required property.",
    cause: 'The workflow has a metadata_schema, and only the first error is reported.',
    cure: 'Load the schema from the url under "schemas" in config.yml, and list all errors at once: [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(metadata)].',
  },
  {
    problem: 'The schema of a workflow is not accepted',
    symptom: "QuiltException: Unsupported meta-schema; or: Currently we don't support $ref in schema.",
    cause: 'Workflows support JSON Schema draft 7 without $ref; the schema uses another draft or references.',
    cure: 'Set "$schema" to "http://json-schema.org/draft-07/schema#" and inline the references. The schemas in metadata://templates/{template} need only the first.',
  },
  {
    problem: 'A wrong date passes validation',
    symptom: 'The schema has "format": "date", and "tomorrow" is accepted.',
    cause: 'Validators may treat format as an annotation, and that of quilt3 does.',
    cure: 'Add a pattern in addition to the format.',
    example: {
      wrong: '{"type": "string", "format": "date"}',
      right: '{"type": "string", "format": "date", "pattern": "^\\\\d{4}-\\\\d{2}-\\\\d{2}$"}',
    },
  },
  {
    problem: 'Existing metadata is lost',
    symptom: 'After set_meta only the new keys are left.',
    cause: 'set_meta replaces all metadata; it does not merge.',
    cure: 'Start from the existing metadata.',
    example: { wrong: 'pkg.set_meta({"status": "final"})', right: 'pkg.set_meta({**pkg.meta, "status": "final"})' },
  },
  {
    problem: 'A change is not visible in the catalog',
    symptom: 'set_meta was called, but the package looks as before.',
    cause:
      'set_meta changes the package in memory only. Versions are immutable: metadata is part of the top hash, so a change creates a new version.',
    cure: 'Push again with a message. Older versions keep the old metadata. The search index is updated after a short delay.',
  },
  {
    problem: 'Too much metadata',
    symptom: 'Packages open slowly, search omits fields, or the catalog shows only a part.',
    cause: 'Tables, logs or lists of thousands of files were put into the metadata of the package, which is read and indexed as a whole.',
    cure: 'Keep only what is searched for, a few kilobytes. Put tables into a file of the package, and metadata of a single file on that file.',
    example: { wrong: '{"samples": [... 20,000 objects ...]}', right: '{"sample_count": 20000, "sample_sheet": "samples.csv"}' },
  },
];

export const TROUBLESHOOTING = {
  mistakes: MISTAKES,
  check_before_a_push: [
    'json.dumps(metadata, allow_nan=False) raises nothing: every value is a JSON type.',
    'isinstance(metadata, dict) is true, and all keys are strings in lower case with underscores.',
    'json.loads(json.dumps(metadata)) == metadata: serialization is lossless.',
    'jsonschema.validate(metadata, json_schema) passes with the schema of the template or of the bucket workflow.',
    'It contains no secrets or names of patients.',
  ],
  see_also: ['metadata://templates', 'metadata://examples'],
} as const;
