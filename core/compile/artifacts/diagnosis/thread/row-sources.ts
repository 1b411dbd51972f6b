import type { RowResultRecord } from '../row-result.ts'

/** Results of rows, and what holds their content. */
export interface RowSources {
  readonly records: readonly RowResultRecord[]
  readonly archive: Uint8Array
  /** The report of the compile's rows, JSON lines; null where it is no longer kept. */
  readonly report: Uint8Array | null
}

/** What holds the results of an artifact's rows. */
export type ResultSources = Omit<RowSources, 'records'> & { readonly namespace: string | null }
