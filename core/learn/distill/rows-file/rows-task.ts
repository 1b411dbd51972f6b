import type { RowsFile } from './check-rows.ts'

/** The task of the threads that read files of rows; it reports how many rows it has read. */
export interface RowsTasks {
  readonly check: { readonly input: RowsFile; readonly output: number; readonly progress: number }
}
