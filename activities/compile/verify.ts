import type { CompileDeps } from './deps.ts'
import { runStage } from './run-stage.ts'
import { VerdictSummary, type JobRef } from './results.ts'
import { keepOutput, loadRows, loadSample, storedCost } from './stage-data.ts'
import { watchProgress } from './watch-progress.ts'

/** Synthesises the verifier, judges the winner of each kind on the holdout and compares K with the floor, in a thread. */
export async function verify(deps: CompileDeps, ref: JobRef): Promise<VerdictSummary> {
  return await runStage(deps, ref, 'verify', VerdictSummary, async (job, activity) => {
    const { rows, negatives, facts } = await loadRows(deps, job)
    const sample = await loadSample(deps, ref.jobId)
    const output = await deps.pool.verify(
      { task: job.task, rows, negatives, facts, sample, floor: Number(job.kScoreFloor) },
      watchProgress(deps, ref.jobId, 'verify', activity),
    )
    const { gate, chosen, kScore, split } = output
    const cost = output.costs.find((each) => each.stage === 'verify')
    return {
      outcome: 'done',
      result: {
        passed: gate.passed,
        kind: chosen?.kind ?? null,
        kScore: gate.k_score,
        floor: gate.floor,
        holdoutRows: kScore?.n ?? split.provenance.holdout_count,
        failingRows: gate.failing_count,
      },
      blobSha256: await keepOutput(deps, output),
      cost: cost === undefined ? { durationMs: 0, usdMicros: 0 } : storedCost(cost),
      events: [
        {
          kind: 'metric',
          body: {
            step: 'verify',
            k_score: gate.k_score,
            k_score_floor: gate.floor,
            source: 'holdout',
            holdout_count: kScore?.n ?? 0,
            accuracy: kScore?.accuracy ?? 0,
            accuracy_low: kScore?.interval.low ?? 0,
            accuracy_high: kScore?.interval.high ?? 1,
            recipe_kind: chosen?.kind ?? null,
          },
        },
      ],
    }
  })
}
