import { readChoices } from '../../../../core/compile/lora/lora-options.ts'
import { summarizeVerdict, verdictMetric } from '../adapter/summarize-verdict.ts'
import type { CompileDeps } from '../deps.ts'
import { runStage } from '../run-stage.ts'
import { VerdictSummary, type JobRef } from '../results.ts'
import { keepOutput, loadRows, loadSample, storedCost } from '../stage-data.ts'
import { watchProgress } from '../watch-progress.ts'

/**
 * Synthesises the verifier, judges the winner of each kind on the held-out rows and compares K with the floor, in a
 * thread.
 */
export async function verify(deps: CompileDeps, ref: JobRef): Promise<VerdictSummary> {
  return await runStage(deps, ref, 'verify', { schema: VerdictSummary, lane: 'short' }, async (job, activity) => {
    const { rows, negatives, facts } = await loadRows(deps, job)
    const sample = await loadSample(deps, ref)
    const choices = readChoices(job.spec)
    const output = await deps.pool.verify(
      {
        task: job.task,
        rows,
        negatives,
        facts,
        sample,
        floor: Number(job.kScoreFloor),
        recipeKind: choices.recipe_kind,
        doubt: choices,
      },
      watchProgress(deps, ref, 'verify', activity),
    )
    const cost = output.costs.find((each) => each.stage === 'verify')
    return {
      outcome: 'done',
      result: summarizeVerdict(output),
      blobSha256: await keepOutput(deps, output),
      cost: cost === undefined ? { durationMs: 0, usdMicros: 0 } : storedCost(cost),
      events: [verdictMetric('verify', output)],
    }
  })
}
