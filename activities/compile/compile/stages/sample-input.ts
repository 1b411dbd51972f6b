import { readChoices } from '../../../../core/compile/stages/lora/lora-options.ts'
import type { Selection } from '../../../../core/compile/rows/intake/example.ts'
import { DEFAULT_K } from '../../../../core/compile/stages/sample/sample-count.ts'
import { learnedCapturesOf } from '../../../../core/compile/wire/jobs/captures.ts'
import type { SampleInput } from '../../../../core/compile/stages/stage-types.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import type { CompileDeps } from '../deps.ts'

/** Returns what a thread samples from: the rows of a job with the settings of the service. */
export function sampleInput(deps: CompileDeps, job: CompileJob, selection: Selection): SampleInput {
  const { rows, negatives, unlabelled, facts } = selection
  const { recipe_kind: recipeKind, risk, tolerances } = readChoices(job.spec)
  return {
    task: job.task,
    rows,
    negatives,
    unlabelled,
    facts,
    k: DEFAULT_K,
    recipeKind,
    ...(tolerances !== undefined && { tolerances }),
    ...(risk !== undefined && { keepsAlternatives: true }),
    ...(learnedCapturesOf(job.spec) !== undefined && { evalSource: 'tenant_captured' }),
    budgetMs: deps.limits.synthesis_budget_ms,
    ...(deps.teacher === null
      ? {}
      : { brief: { teacher: deps.teacher.identity, unlabelled, floor: Number(job.kScoreFloor) } }),
  }
}
