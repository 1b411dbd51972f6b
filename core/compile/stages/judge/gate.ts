import { nounOf, type RecipeKind, type Row } from '../../task.ts'
import type { FailingRow, GateResult, KindResult } from './verify-types.ts'

/** Failing rows that are listed by name; all are counted. */
const MAX_LISTED = 100

/** Inputs of the gate. */
export interface GateInput {
  readonly floor: number
  /** The kind that would ship; null when no kind had a candidate. */
  readonly best: KindResult | null
  readonly rows: readonly Row[]
  readonly notApplicable: readonly { readonly kind: RecipeKind; readonly reason: string }[]
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

/** Explains in words why a job is gated. */
export function explainGate(
  input: Pick<GateInput, 'floor' | 'notApplicable'> & { readonly best: Pick<KindResult, 'kind' | 'kScore'> | null },
  failing: number,
): string {
  const others = input.notApplicable.map(({ kind, reason }) => `${kind}: ${reason}`).join('; ')
  if (input.best === null) return `no recipe was found (${others})`
  const { kind, kScore } = input.best
  const rows = `${failing} of ${kScore.n} held-out rows ${failing === 1 ? 'is' : 'are'} wrong`
  const best = `the best candidate, a ${nounOf(kind)}, has K-score ${kScore.composite}, below the floor ${input.floor}`
  return `${best}: ${rows}${others === '' ? '' : ` (${others})`}`
}

/** Decides whether a job may be signed: a recipe there is, and its K-score reaches the floor. Names the failing rows. */
export function judgeGate(input: GateInput): GateResult {
  const failing = failingRows(input)
  const passed = input.best !== null && input.best.kScore.ships
  return {
    floor: input.floor,
    passed,
    k_score: input.best?.kScore.composite ?? 0,
    reason: passed ? null : explainGate(input, failing.length),
    failing_rows: failing.slice(0, MAX_LISTED),
    failing_count: failing.length,
  }
}
