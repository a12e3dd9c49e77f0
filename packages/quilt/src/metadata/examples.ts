/** Examples of metadata, and good practice. */
import { exampleMetadata } from './template.js';
import { TEMPLATES } from './templates.js';

const GOOD_PRACTICE: readonly { readonly practice: string; readonly why: string }[] = [
  {
    practice: 'Give every package at least title, description, owner, a date and a source.',
    why: 'Someone who finds the package in a year and cannot ask you needs them.',
  },
  {
    practice: 'Write keys in lower case with underscores, and the same key in every package.',
    why: 'Search and Athena treat sampleId, SampleID and sample_id as three different keys.',
  },
  {
    practice: 'Give a key the same type everywhere: a number stays a number, a list stays a list even with one entry.',
    why: 'A query over many packages fails or silently skips packages if one of them has another type.',
  },
  {
    practice: 'Use values from a short agreed list, and validate them with a workflow.',
    why: 'A search for "rna-seq" does not find "RNAseq".',
  },
  {
    practice: 'Put the unit into the key, as in read_length_bp or temperature_c, and only the number into the value.',
    why: '"150 bp" cannot be compared with a number.',
  },
  {
    practice: 'Write dates as YYYY-MM-DD, and times as 2025-03-14T09:30:00Z.',
    why: 'They sort as text, Athena can parse them, and day and month are unambiguous.',
  },
  {
    practice: 'Omit a field if its value is unknown.',
    why: 'Empty strings, null, "n/a" and 0 look like values, and each needs special handling.',
  },
  {
    practice: 'Reference other packages with their top hash: quilt+s3://BUCKET#package=NAME@HASH.',
    why: 'Without the hash it means the latest version, which changes.',
  },
  {
    practice: 'Put metadata of a single file on that file, and long tables into a file of the package.',
    why: 'Package metadata is loaded and indexed as a whole whenever the package is opened or searched.',
  },
  {
    practice: 'Do not include secrets, names of patients or signed URLs.',
    why: 'Metadata is in the manifest and the search index, and older versions of the package keep it even after a correction.',
  },
];

export const EXAMPLES = {
  examples: TEMPLATES.map((template) => ({
    template: template.name,
    suits: template.suits,
    metadata: exampleMetadata(template, 'all'),
    minimal: exampleMetadata(template, 'required'),
  })),
  metadata_of_a_file: {
    description: 'A file can have its own metadata, in addition to that of the package.',
    code: 'pkg.set("counts.csv", "counts.csv", meta={"sample_count": 9, "normalised": False})',
  },
  good_practice: GOOD_PRACTICE,
} as const;
