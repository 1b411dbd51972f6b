import { categoryOf } from '../../../compile/artifacts/diagnosis/category.ts'
import type { RowResultRecord } from '../../../compile/artifacts/diagnosis/row-result.ts'
import { hashJson } from '../../../kernel/json/json.ts'
import { listText, type ListText } from '../../../kernel/json/list-text.ts'
import { storableJson } from '../../../kernel/json/storable.ts'
import type { RowMarks } from '../bench/runs/marks.ts'
import { answerOf, type RowOutcome } from '../evaluation.ts'
import type { PreparedRow } from '../prompts/prepared.ts'
import type { RowAnswer } from '../targets/eval-target.ts'
import { resultRowId } from './result-row-id.ts'
import type { ScoredRow } from './score-row.ts'
import type { SummaryRow } from './summarize.ts'

/** A scored row as it is stored. */
export interface PackedOutcome {
  readonly place: number
  /** JSON of the outcome, see `storableJson`. */
  readonly outcome: string
  readonly isRight: boolean | null
  readonly cutTokens: number
}

/** Scored rows as lists of one statement: written in the thread, so that its caller hands over a few texts. */
export interface PackedOutcomes {
  readonly places: ListText<number>
  readonly outcomes: ListText<string>
  readonly isRight: ListText<boolean | null>
  readonly cutTokens: ListText<number>
}

/** A scored row as it was stored: JSON that only the thread reads. */
export interface StoredOutcome {
  readonly place: number
  readonly task: string
  readonly isRight: boolean | null
  readonly sample: string
  readonly outcome: string
}

/** Packs scored rows for the way into the database. */
export function packOutcomes(rows: readonly PackedOutcome[]): PackedOutcomes {
  return {
    places: listText(rows.map(({ place }) => place)),
    outcomes: listText(rows.map(({ outcome }) => outcome)),
    isRight: listText(rows.map(({ isRight }) => isRight)),
    cutTokens: listText(rows.map(({ cutTokens }) => cutTokens)),
  }
}

/** Packs the outcome of a row. */
export function packOutcome(place: number, answer: RowAnswer, scored: ScoredRow, marks?: RowMarks): PackedOutcome {
  const { responses, cutTokens, silence = null, confidence = null } = answer
  const { scores, isRight, rightRepeats } = scored
  const outcome: RowOutcome = { responses, scores, rightRepeats, cutTokens, silence, confidence }
  const json = storableJson(marks === undefined ? outcome : { ...outcome, marks })
  return { place, outcome: json, isRight, cutTokens }
}

/** Reads a row that `packSet` packed. */
export function readSample(json: string): PreparedRow {
  const row: PreparedRow = JSON.parse(json)
  return row
}

/**
 * Returns what the figures read of a stored row and, of an artifact's row, the result that its diagnosis reads.
 */
export function unpackOutcome(
  stored: StoredOutcome,
  namespace: string,
): { readonly row: SummaryRow; readonly result: () => RowResultRecord } {
  const sample = readSample(stored.sample)
  const outcome: RowOutcome = JSON.parse(stored.outcome)
  const { task, slice, cluster } = sample
  return {
    row: { task, slice, cluster, scores: outcome.scores, rightRepeats: outcome.rightRepeats },
    result: () => resultOf(stored, sample, outcome, namespace),
  }
}

function resultOf(
  { place, task, isRight }: StoredOutcome,
  sample: PreparedRow,
  outcome: RowOutcome,
  namespace: string,
): RowResultRecord {
  const [request] = sample.requests
  const input = request?.type === 'generate_until' ? request.input : null
  const right = isRight === true
  return {
    rowId: resultRowId(task, sample.docId),
    place,
    fold: null,
    result: right ? 'right' : outcome.silence === null || outcome.silence === 'refused' ? 'wrong' : outcome.silence,
    right,
    confidence: outcome.confidence,
    category: sample.slice ?? categoryOf(input ?? undefined, namespace),
    unlike: null,
    failedChecks: [],
    rowHash: hashJson({ expected: sample.target, input }),
    gotHash: hashJson(answerOf(outcome)),
  }
}
