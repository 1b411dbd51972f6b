import type { RowContent } from '../judged-row.ts'
import type { RowResultRecord } from '../row-result.ts'

/** Results of rows, and what holds their content. */
export interface RowSources {
  readonly records: readonly RowResultRecord[]
  readonly archive: Uint8Array
  /** The report of the compile's rows, JSON lines; null where it is no longer kept. */
  readonly report: Uint8Array | null
  /** Contents of the rows of an evaluation by their ids, in place of those of the archive. */
  readonly evaluated?: Readonly<Record<string, RowContent>>
}

/** Sources of the results of an artifact's rows. */
export type ResultSources = Omit<RowSources, 'records' | 'evaluated'> & { readonly namespace: string | null }
