import type { ComputePool } from '../../../core/compile/stages/pool/pool.ts'
import { latencyAxis, round4, sizeAxis } from '../../../core/compile/stages/scoring/axes.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { CALIBRATION_GATE, type CaseResult } from '../../../core/learn/evals/calibration/calibration.ts'
import type { FrozenCases } from '../../../core/learn/evals/calibration/cases.ts'
import { compileRows } from '../../harness/compile-rows.ts'

/** Compiles the train rows of a case with the engine of this checkout, and runs the recipe on its test rows. */
export async function measureCase(pool: ComputePool, given: FrozenCases['cases'][number]): Promise<CaseResult> {
  const { id, class: of, task, train, test } = given
  const rows = train.map((row, place) => ({ id: `row_${place + 1}`, ...row }))
  try {
    const { recipe } = await compileRows(pool, { task, rows, fresh: test, floor: CALIBRATION_GATE })
    if (recipe === null) return { id, class: of, recipe: null }
    const { kScore, kind, freshRight } = recipe
    const { low, high } = kScore.interval
    const share = freshRight / test.length
    return {
      id,
      class: of,
      recipe: {
        kind,
        composite: kScore.composite,
        accuracy: kScore.accuracy,
        coverage: kScore.coverage,
        n: kScore.n,
        interval: { low, high },
        size_bytes: kScore.size_bytes,
        p50_latency_us: kScore.latency.p50_us,
        axes: {
          A: kScore.accuracy,
          S: round4(sizeAxis(kScore.size_bytes)),
          L: kScore.latency.calls > 0 ? round4(latencyAxis(kScore.latency.p50_us)) : null,
          V: kScore.coverage,
        },
        test_rows: test.length,
        test_right: freshRight,
        held: low <= share && share <= high,
      },
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { id, class: of, recipe: null }
  }
}
