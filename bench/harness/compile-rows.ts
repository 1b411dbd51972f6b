import { availableParallelism } from 'node:os'
import { EXACT } from '../../core/compile/rows/equality/equality.ts'
import { isSameOutput } from '../../core/compile/rows/equality/same-output.ts'
import { factsOf } from '../../core/compile/rows/intake/example.ts'
import type { Row } from '../../core/compile/rows/task.ts'
import { openCandidate } from '../../core/compile/stages/candidate.ts'
import type { ComputePool } from '../../core/compile/stages/pool/pool.ts'
import { sampleInParts } from '../../core/compile/stages/pool/sample-in-parts.ts'
import { DEFAULT_K } from '../../core/compile/stages/sample/sample-count.ts'
import { answerOf } from '../../core/compile/stages/scoring/evaluate.ts'
import type { KScore } from '../../core/compile/stages/scoring/score-types.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { freeHelpers } from './free-helpers.ts'

/** A recipe that a compile ships, or would ship where it is gated. */
interface CompiledRows {
  readonly kind: string
  readonly gated: boolean
  readonly kScore: KScore
  /** Fresh rows that the recipe answers right. */
  readonly freshRight: number
}

/** A compile by its stages: the recipe is null where none was found. */
interface Compiled {
  readonly recipe: CompiledRows | null
  /** Processor milliseconds of the search and its folds. */
  readonly cpuMs: number
}

/**
 * Compiles rows by the stages of a compile, without a teacher and without adapters, and runs the winner on rows that neither
 * the compile nor its evaluation saw. Throws the `DomainError` that ends a compile.
 */
export async function compileRows(
  pool: ComputePool,
  {
    task,
    rows,
    fresh,
    floor,
  }: { task: string; rows: readonly Row[]; fresh: readonly Omit<Row, 'id'>[]; floor: number },
): Promise<Compiled> {
  const common = { task, rows, negatives: [], facts: factsOf(rows) }
  const sample = await sampleInParts(
    pool,
    { ...common, k: DEFAULT_K, budgetMs: DEFAULT_LIMITS.synthesis_budget_ms },
    {},
    freeHelpers(availableParallelism() - 1),
  )
  const { kScore, chosen, gate, equality = EXACT } = await pool.verify({ ...common, sample, floor })
  const cpuMs = sample.cost.cpu_ms
  if (kScore === null || kScore.spec !== 'svc-k-score-2' || chosen === null || chosen.data.kind === 'lora')
    return { recipe: null, cpuMs }
  const runner = openCandidate(chosen.data)
  const freshRight = fresh.filter(({ input, output }) => {
    const answer = answerOf(runner, input)
    return answer.error === null && !answer.abstained && isSameOutput(equality, answer.output, output)
  }).length
  return { recipe: { kind: chosen.kind, gated: !gate.passed, kScore, freshRight }, cpuMs }
}
