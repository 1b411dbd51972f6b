import { findRound } from '../../../../db/compile/progress/teacher-samples/rounds.ts'
import { listSamples, recordOutcomes } from '../../../../db/compile/progress/teacher-samples/samples.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { type CompileDeps, operationOf } from '../deps.ts'
import { sampleRecord } from './k-sample.ts'
import { sampleInput } from './sample-input.ts'
import { SampleSummary, type JobRef } from '../results.ts'
import { runStage } from '../run-stage.ts'
import { loadDraft, loadRows } from '../stage-data.ts'
import { watchProgress } from '../watch-progress.ts'

/** Merges the teacher's answers into the result of `k-sample`, in a thread, and records the stage. */
export async function adoptAnswers(deps: CompileDeps, ref: JobRef): Promise<SampleSummary> {
  return await runStage(deps, ref, 'k-sample', { schema: SampleSummary, lane: 'short' }, async (job, activity) => {
    const round = await findRound(operationOf(deps, ref), ref.jobId)
    if (round === null) throw KERNEL_ERRORS.internal('there is no round of the teacher to adopt')
    const selection = await loadRows(deps, job)
    const { output, outcomes } = await deps.pool.adopt(
      {
        input: sampleInput(deps, job, selection),
        unlabelled: selection.unlabelled,
        draft: await loadDraft(deps, ref),
        samples: await listSamples(operationOf(deps, ref), ref.jobId),
        spending: {
          stopped: round.ending?.stopped ?? null,
          failure: round.ending?.failure ?? null,
          grounding: round.ending?.grounding,
          unsettledUsd: round.reservedUsdMicros / 1_000_000,
          elapsedMs: (round.endedAt ?? round.startedAt).getTime() - round.startedAt.getTime(),
        },
      },
      watchProgress(deps, ref, 'k-sample', activity),
    )
    await recordOutcomes(operationOf(deps, ref), ref.jobId, outcomes)
    return await sampleRecord(deps, output)
  })
}
