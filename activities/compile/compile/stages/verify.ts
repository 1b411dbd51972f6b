import { readChoices } from '../../../../core/compile/stages/lora/lora-options.ts'
import { summarizeVerdict, verdictMetric } from '../adapter/summarize-verdict.ts'
import type { CompileDeps } from '../deps.ts'
import { doStage, inLane, runStages, type StageWork } from '../run-stage.ts'
import { VerdictSummary, type JobRef } from '../results.ts'
import { keepVerdict, storedCost } from '../stage-data.ts'
import { watchProgress } from '../watch-progress.ts'

/** The stage `verify` as an activity of its own, for runs that began before `buildArtifact` existed. */
export async function verify(deps: CompileDeps, ref: JobRef): Promise<VerdictSummary> {
  return await runStages(deps, ref, async (work) => await inLane(work, 'short', verifyStage))
}

/**
 * Synthesises the verifier, judges the winner of each kind on the held-out rows and compares K with the floor, in a
 * thread.
 */
export async function verifyStage(work: StageWork): Promise<VerdictSummary> {
  const { deps, ref, activity, data } = work
  return await doStage(work, 'verify', VerdictSummary, async (job) => {
    const { rows, negatives, unlabelled, facts } = await data.rows()
    const choices = readChoices(job.spec)
    const output = await deps.pool.verify(
      {
        task: job.task,
        rows,
        negatives,
        unlabelled,
        facts,
        sample: await data.sample(),
        floor: Number(job.kScoreFloor),
        recipeKind: choices.recipe_kind,
        doubt: choices,
        rowsForm: choices.rows,
      },
      watchProgress(deps, ref, 'verify', activity),
    )
    const kept = await keepVerdict(deps, output)
    data.keepOutput('verify', kept.blobSha256, output)
    const cost = output.costs.find((each) => each.stage === 'verify')
    return {
      outcome: 'done',
      result: summarizeVerdict(output),
      ...kept,
      cost: cost === undefined ? { durationMs: 0, usdMicros: 0 } : storedCost(cost),
      events: [verdictMetric('verify', output)],
      next: 'lora-fit',
    }
  })
}
