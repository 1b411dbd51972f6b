import { buildContent, packContent } from '../../../core/compile/archive/members/content.ts'
import { inlineBounds } from '../../../core/compile/rows/intake/bounds.ts'
import { selectRows } from '../../../core/compile/rows/intake/dataset.ts'
import { examplesFromInline } from '../../../core/compile/rows/intake/sources.ts'
import { estimateCompile } from '../../../core/compile/stages/preview/estimate.ts'
import { condenseVerdict } from '../../../core/compile/stages/judge/verdict.ts'
import { verifyCandidates } from '../../../core/compile/stages/judge/verify.ts'
import { previewCompile } from '../../../core/compile/stages/preview/preview.ts'
import { sampleCandidates } from '../../../core/compile/stages/sample/sample.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import type { OddSet } from './odd-sets.ts'

/** The outcome of a compile of a set: `ready`, `gated`, a code of the error table, or `internal`. */
export interface OddOutcome {
  readonly code: string
  /** The thrown error, where it is not one of the table. */
  readonly error: unknown
}

/** Runs the stages of a compile, of an estimate and of a dry run on a set, with so many steps for each search. */
export async function compileOddSet(set: OddSet, workBudget: number): Promise<OddOutcome> {
  try {
    return { code: await runStages(set, workBudget), error: null }
  } catch (error) {
    if (error instanceof DomainError && error.code !== 'internal') return { code: error.code, error: null }
    return { code: 'internal', error }
  }
}

async function runStages({ examples }: OddSet, workBudget: number): Promise<string> {
  const { rows, negatives, facts } = await selectRows(examplesFromInline(examples, inlineBounds(DEFAULT_LIMITS)), {
    maxRows: DEFAULT_LIMITS.rows_used_per_compile,
  })
  if (rows.length < 2) throw COMPILE_ERRORS.too_few_examples('a compile takes two rows')
  const task = 'As the examples do.'
  estimateCompile({
    task,
    rowCount: rows.length,
    sampleRows: rows,
    k: 4,
    rowsUsedPerCompile: DEFAULT_LIMITS.rows_used_per_compile,
  })
  const common = { task, rows, negatives, facts }
  const sample = sampleCandidates({ ...common, k: 8, budgetMs: 1000, allSearchesMs: 40, workBudget })
  const verdict = condenseVerdict(verifyCandidates({ ...common, sample, floor: 0 }))
  const { chosen, verifier, evals, equality, gate } = verdict
  if (chosen !== null)
    await packContent(buildContent({ recipe: chosen.data, verifier, evals, equality, rows: verdict.rows }))
  // A dry run is the same stages with other budgets: one in sixteen is enough.
  if (facts.given_rows % 16 === 0) previewCompile({ task, rows, floor: 0, budgetMs: 100 })
  return gate.passed ? 'ready' : 'gated'
}

/** Search steps for a set: a few for most of them, and for one in twenty enough to come to the dearer parts of a search. */
export function stepsFor(seed: number): number {
  return seed % 20 === 0 ? 40_000 : 3000
}
