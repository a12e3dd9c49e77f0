/** The metadata templates. */
import { boolean, date, integer, numbers, optional, settings, string, strings, type Template } from './template.js';

export const TEMPLATES: readonly Template[] = [
  {
    name: 'standard',
    description: 'The basis for any package: what the data is, who is responsible for it, where it came from and how it may be used.',
    suits: 'Any data for which no other template fits better.',
    fields: {
      title: string('A short name that a person recognises in a list of search results.', 'Harbour water temperature, hourly, 2024'),
      description: string(
        'The content and purpose of the package, in one to three sentences.',
        'Hourly water temperature at four buoys in the outer harbour. Gaps of up to three hours were interpolated and are flagged in the column is_filled.',
      ),
      owner: string('The contact for questions: a team address outlives a person.', 'marine-data@example.org'),
      created: date('The day on which the data was collected or made, not of the push, which Quilt records itself.', '2025-01-08'),
      source: string('Where the data came from: an instrument, a system, a URL or another package.', 's3://harbour-raw/buoys/2024/'),
      status: string('How far the data can be relied on.', 'reviewed', ['draft', 'reviewed', 'final', 'withdrawn']),
      license: optional(
        string('The SPDX identifier of the licence, or the name of the agreement under which the data may be used.', 'CC-BY-4.0'),
      ),
      sensitivity: optional(string('Who may see the data.', 'internal', ['public', 'internal', 'confidential', 'restricted'])),
      tags: optional(strings('Search terms in lower case, from a list that your team agrees on.', ['temperature', 'buoy', 'time-series'])),
      derived_from: optional(
        strings('The packages that this one was derived from, each with its top hash, so that exactly the same data can be found.', [
          'quilt+s3://harbour-raw#package=buoys/hourly@8f3c1d20b7',
        ]),
      ),
      row_count: optional(integer('How many records the main table has: a quick check that nothing was lost.', 35136)),
    },
  },
  {
    name: 'genomics',
    description:
      'For sequencing reads, alignments, variants and counts: organism, reference, library, platform and the pipeline that was used.',
    suits: 'FASTQ, BAM, CRAM, VCF, count matrices and the results of a sequencing run.',
    fields: {
      title: string('A short name with the organism, the assay and the cohort or run.', 'RNA-seq of mouse liver, fasting series, run 42'),
      description: string(
        'The question of the experiment and what the files are.',
        'Bulk RNA-seq of liver after 0, 12 and 24 hours of fasting, three animals each. FASTQ files, alignments and gene counts.',
      ),
      owner: string('The laboratory or core facility responsible for the data.', 'genomics-core@example.org'),
      organism: string('The scientific name.', 'Mus musculus'),
      taxonomy_id: optional(integer('The NCBI taxonomy identifier: unlike a name it has one spelling.', 10090)),
      genome_build: string('The reference with its patch level; use "none" for data that is not aligned.', 'GRCm39'),
      annotation: optional(string('The gene annotation and its release.', 'GENCODE M33')),
      assay: string('What was measured.', 'rna-seq', [
        'wgs',
        'wes',
        'rna-seq',
        'scrna-seq',
        'atac-seq',
        'chip-seq',
        'methyl-seq',
        'amplicon',
        'other',
      ]),
      platform: string('The sequencing instrument.', 'Illumina NovaSeq 6000'),
      library_layout: optional(string('Whether fragments were read from one end or from both.', 'paired', ['single', 'paired'])),
      read_length: optional(integer('The length of the reads in bases.', 150)),
      sample_count: integer('The number of biological samples, not of files.', 9),
      sample_ids: optional(
        strings('The identifiers of the samples exactly as in the sample sheet. Never the names of people.', [
          'ML-00-1',
          'ML-00-2',
          'ML-00-3',
          'ML-12-1',
          'ML-12-2',
          'ML-12-3',
          'ML-24-1',
          'ML-24-2',
          'ML-24-3',
        ]),
      ),
      tissue: optional(string('The tissue or cell type, with its ontology identifier if you have it.', 'liver (UBERON:0002107)')),
      sequenced_on: optional(date('The day on which the run ended.', '2025-02-19')),
      pipeline: optional(string('The pipeline with its version, so that the results can be reproduced.', 'nf-core/rnaseq 3.14.0')),
      data_use: optional(
        string('What consent or agreement allows, especially for human data.', 'no restriction (animal study, permit AW-2024-117)'),
      ),
    },
  },
  {
    name: 'ml',
    description: 'For training data and trained models: the task, the exact data and code, settings, metrics and known limits.',
    suits: 'Training and evaluation sets, model weights, checkpoints and evaluation reports.',
    fields: {
      title: string('A short name with the task and the version.', 'Leaf disease classifier, v3'),
      description: string(
        'What the model or the data set is for.',
        'Classifies photographs of tomato leaves into nine diseases or healthy. Weights, label map and evaluation report.',
      ),
      owner: string('The responsible team.', 'vision-team@example.org'),
      artifact: string('What the package holds.', 'model', ['dataset', 'model', 'checkpoint', 'evaluation']),
      task: string('What is predicted.', 'image-classification'),
      training_data: string(
        'The training package, with its top hash. For a data set: where it came from.',
        'quilt+s3://crops-ml#package=leaves/train@5b0de7a94c',
      ),
      code_version: optional(string('The repository and commit that produced it.', 'https://git.example.org/vision/leaves@9d1f4e2')),
      framework: optional(string('The framework with its version, which is needed to load the weights.', 'pytorch 2.4.1')),
      architecture: optional(string('The architecture, and the weights it started from.', 'efficientnet_b2, pretrained on ImageNet-1k')),
      hyperparameters: optional(
        settings('The settings that change the result, in one flat object.', {
          learning_rate: 0.0003,
          batch_size: 64,
          epochs: 30,
          optimizer: 'adamw',
          mixed_precision: true,
        }),
      ),
      random_seed: optional(integer('The seed, if the run can be repeated with it.', 1234)),
      metrics: optional(
        numbers('The results on the evaluation data. Leave out what could not be computed: NaN is not JSON.', {
          accuracy: 0.941,
          macro_f1: 0.927,
        }),
      ),
      evaluation_data: optional(
        string('The package the metrics were measured on; never the training data.', 'quilt+s3://crops-ml#package=leaves/test@e27c90b1f3'),
      ),
      trained_on: optional(date('The day on which the training ended.', '2025-05-30')),
      limitations: optional(string('Where it should not be used.', 'Trained on photographs by daylight. Not tested on seedlings.')),
    },
  },
  {
    name: 'research',
    description: 'For the data of a study: who led it, how it was done, under which approval, and how to cite it.',
    suits: 'Data behind a paper, a thesis, a clinical or field study or a survey.',
    fields: {
      title: string('The title of the study or of the publication.', 'Soil carbon under cover crops: a five-year field trial'),
      description: string(
        'The abstract in a few sentences.',
        'Soil organic carbon to 60 cm in 48 plots with and without winter cover crops, sampled every autumn from 2019 to 2023.',
      ),
      owner: string('The contact for the data.', 'soil-lab@example.edu'),
      principal_investigator: string(
        'Who leads the study. Add an ORCID iD to disambiguate the name.',
        'Ada Example (https://orcid.org/0000-0002-1825-0097)',
      ),
      institution: string('The institution that is responsible.', 'Example University, Department of Soil Science'),
      study_type: string('The kind of study.', 'experimental', [
        'experimental',
        'observational',
        'survey',
        'simulation',
        'review',
        'other',
      ]),
      methods: string(
        'How the data was obtained, or the protocol where that is written down.',
        'Dry combustion after acid fumigation; protocol in protocol.pdf in this package.',
      ),
      start_date: date('The first day of data collection.', '2019-09-16'),
      end_date: optional(date('The last day of data collection; omit it while collection continues.', '2023-10-27')),
      location: optional(string('Where it took place.', 'Research farm, 52.39 N, 13.07 E')),
      sample_size: optional(integer('The number of subjects, plots or responses.', 48)),
      keywords: optional(strings('Search terms.', ['soil carbon', 'cover crops', 'field trial'])),
      funding: optional(strings('Funders with grant numbers.', ['Example Science Foundation, grant ESF-2018-4471'])),
      ethics_approval: optional(
        string('The approval with its number, or why none is needed.', 'not required: no humans or animals involved'),
      ),
      doi: optional(string('The DOI of the publication, without the URL prefix.', '10.5555/12345678')),
      license: optional(string('The SPDX identifier of the licence.', 'CC-BY-4.0')),
    },
  },
  {
    name: 'analytics',
    description: 'For tables, extracts and reports: the question, the sources, the period, the definitions and how fresh the numbers are.',
    suits: 'Extracts of a warehouse, dashboards, monthly reports and the tables behind them.',
    fields: {
      title: string('A short name with the subject and the period.', 'Customer retention by cohort, second quarter of 2025'),
      description: string(
        'What the numbers say, and what they leave out.',
        'Monthly retention of cohorts that signed up since January 2024. Trial accounts and staff are left out.',
      ),
      owner: string('The team responsible for the numbers.', 'growth-analytics@example.com'),
      question: string('The question that the analysis answers.', 'Do customers stay longer since onboarding was changed in January?'),
      source_tables: strings('The tables or packages that were read, with database or bucket.', [
        'warehouse.accounts',
        'warehouse.subscriptions',
      ]),
      period_start: date('The first day that the data covers.', '2024-01-01'),
      period_end: date('The last day that the data covers.', '2025-06-30'),
      refreshed_on: date('The day on which the sources were read.', '2025-07-02'),
      refresh: optional(string('How often it is refreshed.', 'monthly', ['once', 'daily', 'weekly', 'monthly', 'quarterly', 'yearly'])),
      time_zone: optional(string('The IANA name of the time zone in which days begin.', 'Europe/Berlin')),
      currency: optional(string('The ISO 4217 code of all amounts.', 'EUR')),
      definitions: optional(
        settings('What each measure means, by its column.', {
          retained: 'at least one paid invoice in the month',
          cohort: 'month of the first paid invoice',
        }),
      ),
      query: optional(string('Where the query is, in the package or in a repository.', 'queries/retention.sql')),
      contains_personal_data: boolean('Whether anything in it can be traced to a person.', false),
    },
  },
];
