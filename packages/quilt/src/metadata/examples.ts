/** Metadata that is filled in, and what makes it good. */
import { exampleOf } from './template.js';
import { TEMPLATES } from './templates/index.js';

const GOOD_PRACTICE: readonly { readonly practice: string; readonly why: string }[] = [
  {
    practice: 'Give every package at least title, description, owner, a date and a source.',
    why: 'These are what somebody looks for who finds the package in a year and cannot ask you.',
  },
  {
    practice: 'Write keys in lower case with underscores, and the same key in every package.',
    why: 'Search and Athena treat sampleId, SampleID and sample_id as three different things.',
  },
  {
    practice: 'Give a key the same type everywhere: a number stays a number, a list stays a list even with one entry.',
    why: 'A query over many packages fails, or leaves packages out without a word, where one of them has another type.',
  },
  {
    practice: 'Take values from a short agreed list where there is one, and have a workflow check them.',
    why: 'Nobody finds "RNAseq" who searches for "rna-seq".',
  },
  {
    practice: 'Put the unit into the key, as in read_length_bp or temperature_c, and only the number into the value.',
    why: '"150 bp" cannot be compared with a number.',
  },
  {
    practice: 'Write dates as YYYY-MM-DD, and times as 2025-03-14T09:30:00Z.',
    why: 'They sort as text, Athena can parse them, and nobody takes the month for the day.',
  },
  {
    practice: 'Leave a field out when its value is not known.',
    why: 'Empty texts, null, "n/a" and 0 look like answers, and each has to be handled apart.',
  },
  {
    practice: 'Refer to other packages with their top hash: quilt+s3://BUCKET#package=NAME@HASH.',
    why: 'Without the hash it is the newest version that is meant, which changes.',
  },
  {
    practice: 'Keep what is true of one file in the metadata of that file, and long tables in a file of the package.',
    why: 'Package metadata is loaded and indexed as a whole each time that the package is opened or searched.',
  },
  {
    practice: 'Keep secrets, names of patients and signed URLs out of it.',
    why: 'Metadata is in the manifest and in the search index, and older versions of the package keep it after it was corrected.',
  },
];

export const EXAMPLES = {
  examples: TEMPLATES.map((template) => ({
    template: template.name,
    suits: template.suits,
    metadata: exampleOf(template, 'all'),
    minimal: exampleOf(template, 'required'),
  })),
  metadata_of_a_file: {
    description: 'A single file has metadata of its own, beside that of the package.',
    code: 'pkg.set("counts.csv", "counts.csv", meta={"sample_count": 9, "normalised": False})',
  },
  good_practice: GOOD_PRACTICE,
} as const;
