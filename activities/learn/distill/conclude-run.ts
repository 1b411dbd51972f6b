import { isErrorCode, type ErrorCode } from '../../../core/learn/errors.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { labelsOf, withoutMember } from '../../../core/learn/distill/curate/held-out-labels.ts'
import { scoreWithout } from '../../../core/learn/distill/curate/score-without.ts'
import { isOver, type RunState } from '../../../core/learn/distill/run.ts'
import type { CompileJob } from '../../../db/compile/jobs/compile-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { readRowViews } from '../../../db/compile/row-results/scored-rows.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { beginRunStage } from '../../../db/learn/distill/advance-run.ts'
import { findRun, type ShownRun } from '../../../db/learn/distill/find-run.ts'
import { finishRun } from '../../../db/learn/distill/finish-run.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** The end of a run. */
export interface ConcludedRun {
  readonly state: RunState
  readonly errorCode: ErrorCode | null
  readonly artifactId: string | null
  readonly kScore: number | null
}

/**
 * Ends a run as its compile ended: completed with the signed artifact, or failed with the code of the compile. What was measured is kept
 * either way. Safe to repeat: a run ends once.
 */
export async function concludeRun(deps: DistillDeps, ref: RunRef): Promise<ConcludedRun> {
  return await runActivity(deps.log, async () => {
    const op = operationOf(deps, ref)
    const run = await findRun(op, ref.runId)
    if (isOver(run.state)) return endOf(run)
    const { jobId } = run
    const job = await findJob(op, jobId)
    for (const stage of stagesOf(job)) await beginRunStage(op, ref.runId, stage)
    const end = {
      kScore: job.kScore ?? null,
      manifest: { ...manifestOf(job), ...(await withoutDoubtful(op, run, job)) },
    }
    if (job.status === 'ready') {
      const manifest = { ...end.manifest, artifact_id: jobId }
      await finishRun(op, ref.runId, { state: 'completed', ...end, manifest })
    } else if (job.status === 'gated' && run.kind === 'preference' && run.adapterSha256 !== null) {
      // Pairs say which answer is better and not which is right: the adapter is delivered, and nothing is signed.
      const manifest = { ...end.manifest, delivery: { signed: false, reason: 'no_task_holdout' } }
      await finishRun(op, ref.runId, { state: 'completed', ...end, manifest })
    } else {
      const code = isErrorCode(job.errorCode) ? job.errorCode : 'distill_failed'
      const message = job.errorMessage ?? 'the compile of the run ended without an artifact'
      const state = job.status === 'cancelled' ? 'cancelled' : 'failed'
      await finishRun(op, ref.runId, { state, error: { code, message }, ...end })
    }
    return endOf(await findRun(op, ref.runId))
  })
}

function endOf({ state, errorCode, manifest, kFinal }: ShownRun): ConcludedRun {
  const artifactId = manifest?.['artifact_id']
  return {
    state,
    errorCode: isErrorCode(errorCode) ? errorCode : null,
    artifactId: typeof artifactId === 'string' ? artifactId : null,
    kScore: kFinal ?? null,
  }
}

/** The stages that the compile of a run went through after training. */
function stagesOf({ status, kScore }: CompileJob): readonly ('evaluate' | 'gate' | 'publish')[] {
  if (status === 'ready') return ['evaluate', 'gate', 'publish']
  return kScore === null ? [] : ['evaluate', 'gate']
}

/** The result of a compile without the held-out rows whose label is doubtful; no member where there is none. */
async function withoutDoubtful(op: Operation, { manifest }: ShownRun, job: CompileJob) {
  const found = labelsOf(manifest)
  if (found?.status !== 'checked' || found.suspects.length === 0) return {}
  const views = await readRowViews(op, job)
  if (views === null) return {}
  const envelope = isJsonObject(job.evaluation) ? job.evaluation['k_score_envelope'] : undefined
  return withoutMember(scoreWithout({ views, envelope }, new Set(found.suspects.map(({ row_id: id }) => id))))
}

function manifestOf({ id, status, kScore, kScoreFloor, computeMs, evaluation }: CompileJob) {
  return {
    job_id: id,
    compile: { status, k_score: kScore ?? null, k_score_floor: kScoreFloor, compute_ms: computeMs },
    evaluation: evaluation ?? null,
  }
}
