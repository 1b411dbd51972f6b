/** Formats of exports. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'openai-ft', 'pairs', 'parquet'] as const
/** One of them. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Formats whose rows are JSON. */
export const ROW_FORMATS = ['jsonl', 'openai-ft', 'pairs'] as const
/** One of them. */
export type RowFormat = (typeof ROW_FORMATS)[number]
