import type { CheckedRows, RowsFile } from './check-rows.ts'

/** The task of the threads that read files of rows; it reports how many rows it has read. */
export interface RowsTasks {
  readonly check: { readonly input: RowsFile; readonly output: CheckedRows; readonly progress: number }
}
