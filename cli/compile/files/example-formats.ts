/** The formats that examples may come in. */
export const EXAMPLE_FORMATS = ['jsonl', 'csv', 'json', 'tsv', 'xlsx'] as const
/** One of them. */
export type ExampleFormat = (typeof EXAMPLE_FORMATS)[number]
