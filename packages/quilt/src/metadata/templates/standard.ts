/** For any package: what it is, whose it is, and where it came from. */
import type { Template } from '../template.js';

export const standard: Template = {
  name: 'standard',
  description: 'The basis for any package: what the data is, who answers for it, where it came from and what may be done with it.',
  suits: 'Any data for which no other template fits better.',
  fields: [
    {
      name: 'title',
      type: 'string',
      required: true,
      description: 'A short name that a person recognises in a list of search results.',
      example: 'Harbour water temperature, hourly, 2024',
    },
    {
      name: 'description',
      type: 'string',
      required: true,
      description: 'What the package holds and what it was made for, in one to three sentences.',
      example:
        'Hourly water temperature at four buoys in the outer harbour. Gaps of up to three hours were interpolated and are flagged in the column is_filled.',
    },
    {
      name: 'owner',
      type: 'string',
      required: true,
      description: 'Who answers questions about the data: a team address outlives a person.',
      example: 'marine-data@example.org',
    },
    {
      name: 'created',
      type: 'date',
      required: true,
      description: 'The day on which the data was collected or made, not the day of the push, which Quilt notes itself.',
      example: '2025-01-08',
    },
    {
      name: 'source',
      type: 'string',
      required: true,
      description: 'Where the data came from: an instrument, a system, a URL or another package.',
      example: 's3://harbour-raw/buoys/2024/',
    },
    {
      name: 'status',
      type: 'string',
      required: true,
      description: 'How far the data can be relied on.',
      example: 'reviewed',
      values: ['draft', 'reviewed', 'final', 'withdrawn'],
    },
    {
      name: 'license',
      type: 'string',
      required: false,
      description: 'The SPDX identifier of the licence, or the name of the agreement under which the data may be used.',
      example: 'CC-BY-4.0',
    },
    {
      name: 'sensitivity',
      type: 'string',
      required: false,
      description: 'Who may see the data.',
      example: 'internal',
      values: ['public', 'internal', 'confidential', 'restricted'],
    },
    {
      name: 'tags',
      type: 'strings',
      required: false,
      description: 'Words to search for, in lower case, from a list that your team agrees on.',
      example: ['temperature', 'buoy', 'time-series'],
    },
    {
      name: 'derived_from',
      type: 'strings',
      required: false,
      description: 'The packages that this one was made of, each with its top hash, so that the very same data is found again.',
      example: ['quilt+s3://harbour-raw#package=buoys/hourly@8f3c1d20b7'],
    },
    {
      name: 'row_count',
      type: 'integer',
      required: false,
      description: 'How many records the main table has: a quick check that nothing was lost.',
      example: 35136,
    },
  ],
};
