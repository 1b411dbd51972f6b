import type { ExportedCapture } from './export-row.ts'
import { exportRow } from './export-row.ts'
import { CSV_HEAD, csvLine } from './csv.ts'
import { openParquet } from './parquet.ts'
import { fineTuningRow, pairRow } from './training-rows.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import type { ExportFormat, RowFormat } from './format-names.ts'

/** A capture as an export takes it. */
export type CaptureToExport = ExportedCapture & { readonly body: JsonObject | null }

/** A row of a format. */
export const ROW_OF: Readonly<Record<RowFormat, (capture: CaptureToExport) => JsonObject>> = {
  jsonl: exportRow,
  'openai-ft': fineTuningRow,
  pairs: pairRow,
}

/** Media types and endings of file names. */
export const FORMAT_FILES: Readonly<Record<ExportFormat, { readonly mediaType: string; readonly ending: string }>> = {
  jsonl: { mediaType: 'application/x-ndjson; charset=utf-8', ending: 'jsonl' },
  csv: { mediaType: 'text/csv; charset=utf-8', ending: 'csv' },
  'openai-ft': { mediaType: 'application/x-ndjson; charset=utf-8', ending: 'jsonl' },
  pairs: { mediaType: 'application/x-ndjson; charset=utf-8', ending: 'jsonl' },
  parquet: { mediaType: 'application/vnd.apache.parquet', ending: 'parquet' },
}

/** Writes an export piece by piece. */
export interface ExportWriter {
  /** Bytes before the first row. */
  readonly head: string
  /** The bytes of rows; the digest of an export covers the head and these. */
  batch(captures: readonly CaptureToExport[]): string | Uint8Array
  /** Bytes after the last row, which tell of the export where the format has a place for that. */
  end(summary: { readonly count: number; readonly digest: string }): string | Uint8Array
}

/** Begins an export. */
export function openExport(format: ExportFormat): ExportWriter {
  switch (format) {
    case 'csv': {
      return { head: CSV_HEAD, batch: (captures) => captures.map((each) => csvLine(each)).join(''), end: () => '' }
    }
    case 'parquet': {
      const file = openParquet()
      return {
        head: '',
        batch: (captures) => file.batch(captures),
        end: ({ count, digest }) => file.end({ 'svc.count': String(count), 'svc.digest': digest }),
      }
    }
    case 'jsonl': {
      const last = (summary: object): string => `${JSON.stringify({ export: summary })}\n`
      return { head: '', batch: (captures) => lines(captures, 'jsonl'), end: last }
    }
    case 'openai-ft':
    case 'pairs': {
      // Those who learn from these files take rows only.
      return { head: '', batch: (captures) => lines(captures, format), end: () => '' }
    }
  }
}

function lines(captures: readonly CaptureToExport[], format: RowFormat): string {
  return captures.map((capture) => `${JSON.stringify(ROW_OF[format](capture))}\n`).join('')
}
