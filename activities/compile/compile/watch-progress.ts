import { isErrorCode } from '../../../core/compile/errors.ts'
import type { ComputeCall } from '../../../core/compile/stages/pool/pool.ts'
import type { WorkStage } from '../../../core/compile/rows/task.ts'
import { codeOfError } from '../../kernel/failures.ts'
import { reportProgress } from '../../../db/compile/jobs/stages/stages.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type CompileDeps } from './deps.ts'
import type { JobRef } from './results.ts'

/** Minimum interval between progress writes: the event log is for people, not for every step. */
const REPORT_EVERY_MS = 400

/**
 * Watches a compute stage: its steps go to the job's event log and to Temporal's heartbeat, and the thread ends when
 * the activity is cancelled or the job turns out to be over.
 */
export function watchProgress(
  deps: CompileDeps,
  ref: JobRef,
  stage: WorkStage,
  activity: RunningActivity,
): Required<Pick<ComputeCall, 'signal' | 'onProgress'>> {
  const over = new AbortController()
  let reportedAt = performance.now()
  let isReporting = false
  return {
    signal: AbortSignal.any([activity.signal, over.signal]),
    onProgress: ({ step, done, total }) => {
      activity.note({ stage, step, done, total })
      if (isReporting || performance.now() - reportedAt < REPORT_EVERY_MS) return
      isReporting = true
      reportedAt = performance.now()
      reportProgress(operationOf(deps, ref), {
        jobId: ref.jobId,
        stage,
        fraction: total > 0 ? done / total : 0,
        note: step,
        now: deps.now(),
      })
        .catch((error: unknown) => {
          const code = codeOfError(error, isErrorCode)
          if (code === 'compile_cancelled' || code === 'already_finished') over.abort()
          // Any other failure costs only this line of progress; the stage continues.
        })
        .finally(() => {
          isReporting = false
        })
    },
  }
}
