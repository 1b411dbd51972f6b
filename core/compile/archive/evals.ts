import { createHash } from 'node:crypto'
import { canonicalJson, hashJson, type Json, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { MAX_KEPT_BYTES, MAX_KEPT_ROWS, type DigestReason } from '../rows/split/kept-rows.ts'
import type { EvalMode } from '../rows/split/split-report.ts'
import type { RowsForm } from '../stages/lora/lora-options.ts'
import type { LeafResult } from '../runtime/composite/judge-leaves.ts'
import type { DigestedEvalRow, EvalsDocument, LeafTotals } from './members/documents.ts'

/** Rows that `evals.json` shows at most; the digests in it are over all rows. */
export const MAX_EVAL_ROWS = MAX_KEPT_ROWS
/** Bytes of rows that `evals.json` shows at most; in the first form a single large row may exceed it. */
const MAX_EVAL_BYTES = MAX_KEPT_BYTES
/** Bytes that the rows shown take at least where their bytes, and not their number, are the reason to show no more. */
export const ENOUGH_EVAL_BYTES = 8 * 1024 * 1024

/** One row of the evaluation: input, expected output, actual output. */
export interface EvalRow {
  readonly id: string
  readonly input: Json
  readonly expected: Json
  readonly output: Json
  readonly abstained: boolean
  readonly correct: boolean
}

/** One row of `svc-evals-2`: the fold that it is in, null without folds, and the confidence of the answer, 0 to 1. */
export interface FoldedEvalRow extends EvalRow {
  readonly fold: number | null
  readonly confidence: number
  /** Of a composite: what became of each leaf, in the order of the tree. */
  readonly leaves?: readonly LeafResult[]
}

/** An evaluation row by row; one with `split` becomes `svc-evals-1`, which builds before cross-fitting have. */
export type EvalRows =
  | {
      readonly mode: EvalMode
      /** The leaves of a composite. */
      readonly leaves?: readonly LeafFacts[]
      readonly rows: readonly FoldedEvalRow[]
      readonly form?: RowsForm
    }
  | {
      readonly split: 'holdout' | 'leave_one_out'
      readonly comparator: EvalsDocument['comparator']
      readonly rows: readonly EvalRow[]
    }

/** `evals.json` of an evaluation: counts and digests of all rows, and as many of the first rows as it may show. */
export function summarizeEvals(evals: EvalRows): EvalsDocument {
  if ('mode' in evals) {
    const { mode, leaves, form = 'held' } = evals
    const totals = leaves === undefined ? {} : { leaves: totalsOf(leaves, evals.rows) }
    const rows = evals.rows.map(foldedEntry)
    const head = { spec: 'svc-evals-2', mode, comparator: 'equality', ...totals } as const
    const why = whyDigests(form, rows)
    if (why === null) return { ...head, ...summaryOf(rows) }
    return { ...head, ...summaryOf(rows), shown: 0, rows: [], digests: rows.map(digestOf), why_digests: why }
  }
  const { split, comparator } = evals
  return { spec: 'svc-evals-1', split, comparator, ...summaryOf(evals.rows.map(entryOf)) }
}

/** Returns why an archive holds digests of its held-out rows; null where it holds the rows. */
function whyDigests(form: RowsForm, rows: readonly EvalRow[]): DigestReason | null {
  if (form === 'digests') return 'asked'
  if (rows.length > MAX_EVAL_ROWS) return 'too_many_rows'
  const bytes = rows.reduce((sum, row) => sum + evalRowBytes(row), 0)
  return bytes > MAX_EVAL_BYTES ? 'too_large' : null
}

function summaryOf<Row extends EvalRow>(rows: readonly Row[]) {
  const shown = rowsToShow(rows)
  return {
    n: rows.length,
    correct: rows.filter(({ correct }) => correct).length,
    abstained: rows.filter(({ abstained }) => abstained).length,
    eval_set_hash: hashEvalCases(rows),
    results_hash: hashEvalResults(rows),
    shown: shown.length,
    rows: shown,
  }
}

/** Returns a row as digests: of its input and expected output, and of its answer. */
function digestOf({
  id,
  input,
  expected,
  output,
  abstained,
  correct,
  fold,
  confidence,
}: FoldedEvalRow): DigestedEvalRow {
  return { id, row: hashJson({ input, expected }), output: hashJson(output), abstained, correct, fold, confidence }
}

/** Returns the digest of inputs and expected outputs. */
export function hashEvalCases(rows: readonly Pick<EvalRow, 'input' | 'expected'>[]): Sha256 {
  return hashList(rows, ({ input, expected }) => ({ input, expected }))
}

/** Returns the digest of the rows as `evals.json` shows them. */
export function hashEvalResults(rows: readonly (EvalRow | FoldedEvalRow)[]): Sha256 {
  return hashList(rows, jsonOf)
}

function rowsToShow<Row extends EvalRow>(rows: readonly Row[]): Row[] {
  const shown: Row[] = []
  let sizeBytes = 0
  for (const row of rows.slice(0, MAX_EVAL_ROWS)) {
    const before = sizeBytes
    sizeBytes += evalRowBytes(row)
    if (sizeBytes > MAX_EVAL_BYTES && before >= ENOUGH_EVAL_BYTES) break
    shown.push(row)
  }
  return shown
}

function jsonOf(row: EvalRow | FoldedEvalRow): JsonObject {
  if (!('leaves' in row)) return { ...row }
  const { leaves, ...rest } = row
  return leaves === undefined ? rest : { ...rest, leaves }
}

/** Bytes of a row in canonical JSON. */
export function evalRowBytes(row: EvalRow): number {
  return Buffer.byteLength(canonicalJson(jsonOf(row)))
}

function entryOf({ id, input, expected, output, abstained, correct }: EvalRow): EvalRow {
  return { id, input, expected, output, abstained, correct }
}

function foldedEntry({ leaves, ...row }: FoldedEvalRow) {
  const ofLeaves = leaves === undefined ? {} : { leaves: [...leaves] }
  return { ...entryOf(row), fold: row.fold, confidence: row.confidence, ...ofLeaves }
}

/** A leaf of a composite, without its results. */
export type LeafFacts = Pick<LeafTotals, 'part' | 'kind'> & { readonly path: readonly (string | number)[] }

/** Counts the results of each leaf over rows. */
export function totalsOf(
  leaves: readonly LeafFacts[],
  rows: readonly { readonly leaves?: readonly LeafResult[] | undefined }[],
): LeafTotals[] {
  return leaves.map(({ path, part, kind }, number) => {
    const results = rows.map((row) => row.leaves?.[number] ?? null)
    const count = (wanted: LeafResult): number => results.filter((result) => result === wanted).length
    return {
      path: [...path],
      part,
      kind,
      n: results.length - count(null),
      correct: count('right'),
      abstained: count('abstained'),
      failed: count('failed'),
    }
  })
}

/** SHA-256 over the RFC 8785 form of a list, without holding that text. */
function hashList<T>(items: readonly T[], present: (item: T) => Json): Sha256 {
  const hash = createHash('sha256').update('[')
  for (const [index, item] of items.entries()) hash.update(`${index === 0 ? '' : ','}${canonicalJson(present(item))}`)
  return `sha256:${hash.update(']').digest('hex')}`
}
