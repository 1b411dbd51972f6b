import type { Json } from '../../../../kernel/json/json.ts'
import type { ArchivePair, ComparedArchives } from '../../diff/compare-archives.ts'
import type { Condition } from '../facts/condition.ts'
import type { FailureReport } from '../failure-modes.ts'
import type { RowContent } from '../judged-row.ts'
import type { RowResultRecord } from '../row-result.ts'
import type { ResultSources, RowSources } from './row-sources.ts'

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

/** The tasks of the thread that looks at the rows of artifacts. */
export interface DiagnosisTasks {
  /** The results of an artifact that was published before they were recorded. */
  readonly records: { readonly input: ResultSources; readonly output: readonly RowResultRecord[] }
  readonly modes: { readonly input: RowSources; readonly output: FoundModes }
  /** For each list of conditions, the ids of the pairs that meet all of them. */
  readonly match: { readonly input: MatchInput; readonly output: readonly (readonly string[])[] }
  /** Two artifacts, their rows and their answers. */
  readonly compare: { readonly input: ArchivePair; readonly output: ComparedArchives }
}
