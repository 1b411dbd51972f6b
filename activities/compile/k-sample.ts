import { DEFAULT_K } from '../../core/compiler/stages/sample/sample-count.ts'
import type { CompileDeps } from './deps.ts'
import { runStage } from './run-stage.ts'
import { SampleSummary, type JobRef } from './results.ts'
import { keepOutput, loadRows, storedCost } from './stage-data.ts'
import { watchProgress } from './watch-progress.ts'

/** Splits the examples, searches programs and trains a classifier on the train side, in a thread. */
export async function kSample(deps: CompileDeps, ref: JobRef): Promise<SampleSummary> {
  return await runStage(deps, ref, 'k-sample', SampleSummary, async (job, activity) => {
    const { rows, negatives, facts } = await loadRows(deps, job)
    const output = await deps.pool.sample(
      {
        task: job.task,
        rows,
        negatives,
        facts,
        k: DEFAULT_K,
        budgetMs: deps.limits.synthesis_budget_ms,
      },
      watchProgress(deps, ref.jobId, 'k-sample', activity),
    )
    return {
      outcome: 'done',
      result: {
        kinds: output.kinds.map((candidates) => candidates.kind),
        candidates: output.samples.length,
        trainRows: output.split.train.length,
        holdoutRows: output.split.holdout.length,
      },
      facts: { measured: { ...output.cost } },
      blobSha256: await keepOutput(deps, output),
      cost: storedCost(output.cost),
    }
  })
}
