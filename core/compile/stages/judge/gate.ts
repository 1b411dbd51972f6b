import type { Equality } from '../../rows/equality/equality.ts'
import { tolerancesOf } from '../../rows/equality/tolerance.ts'
import { nounOf, type RecipeKind, type Row } from '../../rows/task.ts'
import { missesInWords, missesOf } from './number-misses.ts'
import type { FailingRow, GateResult, KindResult, NumberMisses } from './verify-types.ts'

/** Failing rows that are listed by name; all are counted. */
const MAX_LISTED = 100

/** Inputs of the gate. */
export interface GateInput {
  readonly floor: number
  /** The kind that would ship; null when no kind had a candidate. */
  readonly best: KindResult | null
  readonly rows: readonly Row[]
  readonly notApplicable: readonly { readonly kind: RecipeKind; readonly reason: string }[]
  /** Decides whether a row is right. */
  readonly equality: Equality | undefined
}

function failingRows({ best, rows }: GateInput): readonly FailingRow[] {
  if (best === null) return rows.map((row) => ({ id: row.id, expected: row.output, got: null, reason: 'no_candidate' }))
  const byId = new Map(best.evaluation.results.map((result) => [result.id, result]))
  return rows.flatMap((row) => {
    const result = byId.get(row.id)
    if (result === undefined || result.correct) return []
    const reason = result.error ?? (result.abstained ? 'abstained' : 'wrong')
    return [{ id: row.id, expected: row.output, got: result.output, reason }]
  })
}

/** Explains in words why a job is gated: the rows first, then the score, how far numbers miss, and the kinds without a candidate. */
export function explainGate(
  input: Pick<GateInput, 'floor' | 'notApplicable' | 'equality'> & {
    readonly best: Pick<KindResult, 'kind' | 'kScore'> | null
    readonly misses: NumberMisses | null
  },
  failing: number,
): string {
  const { best, floor, misses, equality } = input
  const others = input.notApplicable.map(({ kind, reason }) => `${nounOf(kind)} (${reason})`).join(', ')
  if (best === null) return `no recipe was found for these examples. Kinds without a candidate: ${others}`
  const { kind, kScore } = best
  const rows =
    failing === 0
      ? 'no held-out row is wrong, but the K-score also counts size, speed, cost and unanswered rows'
      : `${failing} of ${kScore.n} held-out rows ${failing === 1 ? 'is' : 'are'} wrong`
  const score = `the best candidate, a ${nounOf(kind)}, has a K-score of ${kScore.composite}, below the floor of ${floor}`
  const rest = others === '' ? [] : [`Kinds without a candidate: ${others}`]
  return [
    `${rows}: ${score}`,
    ...(misses === null ? [] : [missesInWords(misses, tolerancesOf(equality))]),
    ...rest,
  ].join('. ')
}

/** Decides whether a job may be signed: a recipe there is, and its K-score reaches the floor. Names the failing rows. */
export function judgeGate(input: GateInput): GateResult {
  const failing = failingRows(input)
  const passed = input.best !== null && input.best.kScore.ships
  const misses = input.best === null ? null : missesOf(input.best, input.rows)
  return {
    floor: input.floor,
    passed,
    k_score: input.best?.kScore.composite ?? 0,
    reason: passed ? null : explainGate({ ...input, misses }, failing.length),
    failing_rows: failing.slice(0, MAX_LISTED),
    failing_count: failing.length,
    ...(misses === null || passed ? {} : { misses }),
  }
}
