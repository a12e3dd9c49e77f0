/** How a template becomes the metadata of a package. */

export const USAGE: readonly string[] = [
  'Choose a template: the first of these whose "suits" is true of your data, else standard.',
  'Read metadata://templates/{template}, such as metadata://templates/genomics, and take its "template" object.',
  'Fill in every required field. Remove optional fields that you have no value for. Add fields of your own if you need them.',
  'Validate it against "json_schema", in Python: jsonschema.validate(metadata, json_schema).',
  'Attach it and push: pkg.set_meta(metadata), then pkg.push("team/name", registry="s3://BUCKET", message="What changed").',
  'If something is refused, read metadata://troubleshooting; metadata://examples has each template filled in.',
];

/** Quilt's own checks take an older draft than the one that is current. */
export const SCHEMA_IN_WORKFLOWS =
  'To have a bucket check it on every push, save json_schema in S3 with "$schema" changed to "http://json-schema.org/draft-07/schema#", list it under "schemas" in s3://BUCKET/.quilt/workflows/config.yml, and name it as the "metadata_schema" of a workflow. No keyword in it has another meaning there.';
