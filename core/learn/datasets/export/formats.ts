/** Formats of exported datasets. */
export const EXPORT_FORMATS = ['jsonl', 'csv', 'parquet', 'folder'] as const
/** One of them. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** Media types and endings of file names. */
export const FORMAT_FILES: Readonly<Record<ExportFormat, { readonly mediaType: string; readonly ending: string }>> = {
  jsonl: { mediaType: 'application/x-ndjson; charset=utf-8', ending: 'jsonl' },
  csv: { mediaType: 'text/csv; charset=utf-8', ending: 'csv' },
  parquet: { mediaType: 'application/vnd.apache.parquet', ending: 'parquet' },
  folder: { mediaType: 'application/zip', ending: 'zip' },
}
