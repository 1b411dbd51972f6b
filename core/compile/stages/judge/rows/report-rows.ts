import { canonicalJson, hashJson, type Json } from '../../../../kernel/json/json.ts'
import type { RowsForm } from '../../lora/lora-options.ts'
import type { UnlabelledInput } from '../../../rows/intake/example.ts'
import { MAX_KEPT_BYTES } from '../../../rows/split/kept-rows.ts'
import type { Split } from '../../../rows/split/split-report.ts'
import { pointerOf, type Place } from '../../../runtime/composite/places.ts'
import type { RecipeKind, Row } from '../../../rows/task.ts'
import type { RowSide } from '../../../wire/jobs/explain/row-sides.ts'
import type { RowView } from '../../../wire/jobs/explain/rows.ts'
import type { RowResult } from '../../scoring/score-types.ts'
import type { Check } from '../../verifier/verifier-types.ts'

/** Failed checks that a row names. */
const MAX_CHECKS = 20

/** Inputs of a report. */
export interface ReportInput {
  /** The rows of the compile, in their order, and how they were split. */
  readonly rows: readonly Row[]
  readonly split: Pick<Split, 'mode' | 'train' | 'holdout' | 'folds'>
  /** The kind that would ship, with its results; null when no kind had a candidate. */
  readonly best: { readonly kind: RecipeKind; readonly results: readonly RowResult[] } | null
  /** The checks that judge the scored row at a position of `split.holdout`. */
  readonly checksFor: (place: number) => readonly Check[]
  /** The leaves of a composite, in the order of its results. */
  readonly leaves?: readonly Place[] | undefined
  readonly form?: RowsForm | undefined
  /** Unlabelled inputs whose outputs would help most. */
  readonly toLabel?: readonly UnlabelledInput[]
}

interface Line {
  readonly row: Row
  readonly result: RowResult | undefined
  readonly view: RowView
}

/**
 * Returns the rows of a compile with their results as JSON lines, in the order of the examples. Rows in full have at
 * most `MAX_KEPT_BYTES`, those that count against the gate first; the others are digests. With `form: 'digests'` all are. Unlabelled
 * inputs to label come last.
 */
export function reportRows(input: ReportInput): Uint8Array {
  const lines = linesOf(input)
  const shown = input.form === 'digests' ? new Set<Line>() : linesToShow(lines)
  const text = lines.map((line) => JSON.stringify(shown.has(line) ? inFull(line) : asDigests(line)))
  text.push(...(input.toLabel ?? []).map((one) => JSON.stringify(unlabelledRow(one, input.form))))
  return Buffer.from(text.map((line) => `${line}\n`).join(''))
}

function linesOf(input: ReportInput): readonly Line[] {
  const { rows, split, best } = input
  const scoredAt = new Map(split.holdout.map((place, position) => [place, position]))
  const foldOf = new Map(split.folds?.flatMap((fold, number) => fold.map((place) => [place, number] as const)))
  const results = new Map(best?.results.map((result) => [result.id, result]))
  const learned = new Set(split.train)
  return rows.flatMap((row, place): Line[] => {
    const position = scoredAt.get(place)
    if (position === undefined) return learned.has(place) ? [{ row, result: undefined, view: learnedRow(row) }] : []
    const result = results.get(row.id)
    const side = split.mode === 'test_rows' ? 'test' : 'held_out'
    const fold = foldOf.get(place) ?? null
    if (result === undefined) return best === null ? [{ row, result, view: unanswered(row, side, fold) }] : []
    return [{ row, result, view: { ...scored(input, result, position), side, fold } }]
  })
}

function learnedRow({ id }: Pick<Row, 'id'>): RowView {
  return { id, side: 'learned', fold: null, right: null, result: null, failed_checks: [], unlike_examples: null }
}

function unlabelledRow({ id, input }: UnlabelledInput, form: RowsForm | undefined): RowView {
  const value = form === 'digests' ? { digests: { row: hashJson({ input }) } } : { input }
  return { ...learnedRow({ id }), side: 'to_label', ...value }
}

function unanswered({ id }: Row, side: RowSide, fold: number | null): RowView {
  return { id, side, fold, right: false, result: 'no_candidate', failed_checks: [], unlike_examples: null }
}

function scored(
  { best, checksFor, leaves }: ReportInput,
  result: RowResult,
  position: number,
): Omit<RowView, 'side' | 'fold'> {
  const { id, correct, abstained, error, failedChecks, unlike, confidence } = result
  const failed = new Set(failedChecks.slice(0, MAX_CHECKS))
  const checks = checksFor(position).filter((check) => failed.has(check.id))
  return {
    id,
    right: correct,
    result: correct ? 'right' : (error ?? (abstained ? 'abstained' : 'wrong')),
    failed_checks: checks.map(({ id: check, kind, path }) => ({ id: check, kind, path: pointerOf(path) })),
    unlike_examples: unlike,
    ...(best?.kind !== 'program' && { confidence }),
    ...(leaves !== undefined && {
      paths: leaves.map(({ path, part }, number) => ({
        path: pointerOf(path),
        part,
        result: result.leaves?.[number] ?? null,
      })),
    }),
  }
}

function inFull({ row, result, view }: Line): RowView {
  const { input, output: expected } = row
  return { ...view, input, expected, ...(result !== undefined && { got: result.output }) }
}

/** Digests as evals.json has them. */
function asDigests({ row, result, view }: Line): RowView {
  const { input, output: expected } = row
  const got = result === undefined ? {} : { got: hashJson(result.output) }
  return { ...view, digests: { row: hashJson({ expected, input }), ...got } }
}

function linesToShow(lines: readonly Line[]): ReadonlySet<Line> {
  const shown = new Set<Line>()
  let sizeBytes = 0
  const failing = ({ view }: Line): boolean => view.right === false
  for (const line of [...lines.filter(failing), ...lines.filter((one) => !failing(one))]) {
    sizeBytes += bytesOf(line)
    if (sizeBytes > MAX_KEPT_BYTES) break
    shown.add(line)
  }
  return shown
}

function bytesOf({ row, result }: Line): number {
  const values: Json = [row.input, row.output, result?.output ?? null]
  return Buffer.byteLength(canonicalJson(values))
}
