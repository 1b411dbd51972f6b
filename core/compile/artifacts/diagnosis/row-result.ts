import type { EvalsDocument } from '../../archive/members/documents.ts'
import type { RowView } from '../../wire/jobs/explain/rows.ts'
import { hashJson, type Json, type Sha256 } from '../../../kernel/json/json.ts'
import { categoryOf } from './category.ts'
import type { FailedCheck } from './judged-row.ts'

/** The source of results of rows: the evaluation that an artifact was signed with. */
export const COMPILE_SOURCE = 'compile'

const EVALUATION = 'evaluation:'

/** Results of which source: the compile of an artifact, or an evaluation by its id. */
export type ResultSource = { readonly kind: 'compile' } | { readonly kind: 'evaluation'; readonly id: string }

/** Reads a source as callers name it, `compile` or `evaluation:<id>`; null for another text. */
export function readSource(text: string): ResultSource | null {
  if (text === COMPILE_SOURCE) return { kind: 'compile' }
  if (!text.startsWith(EVALUATION)) return null
  return { kind: 'evaluation', id: text.slice(EVALUATION.length) }
}

/** Returns the name of a source, as `readSource` reads it. */
export function sourceName(source: ResultSource): string {
  return source.kind === 'compile' ? COMPILE_SOURCE : `${EVALUATION}${source.id}`
}

/** The result of one scored row, without its content. */
export interface RowResultRecord {
  readonly rowId: string
  /** Position in the evaluation, from 0. */
  readonly place: number
  readonly fold: number | null
  readonly result: NonNullable<RowView['result']>
  readonly right: boolean
  /** 0 to 1; null in archives of early builds. */
  readonly confidence: number | null
  readonly category: string
  readonly unlike: boolean | null
  readonly failedChecks: readonly FailedCheck[]
  /** Digest of `{expected, input}`. */
  readonly rowHash: Sha256
  /** Digest of the answer. */
  readonly gotHash: Sha256
}

/** Returns the results of the rows in evals.json: all of them, or those that an early build shows. */
export function recordsOf(evals: EvalsDocument, namespace: string | null): readonly RowResultRecord[] {
  if (evals.spec === 'svc-evals-2' && evals.digests !== undefined) {
    return evals.digests.map((digest, place) => ({
      ...outcomeOf(digest),
      place,
      fold: digest.fold,
      confidence: digest.confidence,
      category: categoryOf(undefined, namespace),
      rowHash: digest.row,
      gotHash: digest.output,
    }))
  }
  return evals.rows.map((row, place) => ({
    ...outcomeOf(row),
    place,
    fold: 'fold' in row ? row.fold : null,
    confidence: 'confidence' in row ? row.confidence : null,
    category: categoryOf(row.input, namespace),
    rowHash: hashJson({ input: row.input, expected: row.expected }),
    gotHash: hashJson(row.output),
  }))
}

function outcomeOf({
  id,
  correct,
  abstained,
}: {
  readonly id: string
  readonly correct: boolean
  readonly abstained: boolean
}) {
  const wrong = abstained ? ('abstained' as const) : ('wrong' as const)
  return { rowId: id, right: correct, result: correct ? ('right' as const) : wrong, unlike: null, failedChecks: [] }
}

/**
 * Adds what the report of a compile's rows knows of a result: why there is no answer, the failed checks, whether the input is
 * unlike the others. A line of another answer to the row is passed over.
 */
export function withReport(record: RowResultRecord, view: RowView, namespace: string | null): RowResultRecord {
  if (view.result === null || gotHashOf(view) !== record.gotHash) return record
  return {
    ...record,
    result: view.right === record.right ? view.result : record.result,
    failedChecks: view.failed_checks,
    unlike: view.unlike_examples,
    category: view.input === undefined ? record.category : categoryOf(view.input, namespace),
  }
}

function gotHashOf({ got, digests }: RowView): string | undefined {
  return got === undefined ? digests?.got : hashJson(got as Json)
}
