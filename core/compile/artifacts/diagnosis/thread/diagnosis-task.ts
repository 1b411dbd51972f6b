import type { Json } from '../../../../kernel/json/json.ts'
import type { Condition } from '../facts/condition.ts'
import type { FailureReport } from '../failure-modes.ts'
import type { RowContent } from '../judged-row.ts'
import type { RowResultRecord } from '../row-result.ts'

/** Results of rows, and what holds their content. */
export interface RowSources {
  readonly records: readonly RowResultRecord[]
  readonly archive: Uint8Array
  /** The report of the compile's rows, JSON lines; null where it is no longer kept. */
  readonly report: Uint8Array | null
}

/** The failure modes, and the content of some of their rows by id. */
export interface FoundModes {
  readonly found: FailureReport
  readonly contents: Readonly<Record<string, RowContent>>
}

/** Captures as inputs and outputs, to be looked through for those under conditions. */
export interface MatchInput {
  readonly conditions: readonly (readonly Condition[])[]
  readonly pairs: readonly { readonly id: string; readonly input: Json; readonly output: Json }[]
}

/** What holds the results of an artifact's rows. */
export type ResultSources = Omit<RowSources, 'records'> & { readonly namespace: string | null }

/** The tasks of the thread that finds failure modes. */
export interface DiagnosisTasks {
  /** The results of an artifact that was published before they were recorded. */
  readonly records: { readonly input: ResultSources; readonly output: readonly RowResultRecord[] }
  readonly modes: { readonly input: RowSources; readonly output: FoundModes }
  /** For each list of conditions, the ids of the pairs that meet all of them. */
  readonly match: { readonly input: MatchInput; readonly output: readonly (readonly string[])[] }
}
