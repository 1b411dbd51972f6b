import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import { isErrorCode } from '../../../core/compile/errors.ts'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import type { FinalJob } from '../../../activities/compile/compile/results.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { FINISH } from '../../kernel/policies.ts'
import { buildStages } from './build-stages.ts'
import { compileProgressQuery, fitProgressSignal, type CompileInput, type CompileOutcome } from './messages.ts'
import { CompileProgressState } from './progress.ts'
import { show } from './show.ts'
import { stageByStage } from './stage-by-stage.ts'

const finish = proxyActivities<CompileActivities>(FINISH)

/**
 * Compiles the examples of one job. Every stage stores its result in Postgres, so a repeated activity continues where the
 * last one stopped. The job's row always ends with the workflow: `ready` and `gated` are
 * outcomes, a failure fails the workflow with the machine code as its type, a cancellation cancels it.
 */
export async function compile({ jobId, tenantId }: CompileInput): Promise<CompileOutcome> {
  const job: CompileInput = { jobId, tenantId }
  const state = new CompileProgressState(workflowInfo().attempt)
  setHandler(compileProgressQuery, () => state.snapshot())
  setHandler(fitProgressSignal, (progress) => {
    if (state.tell(progress)) setCurrentDetails(state.describe())
  })
  setCurrentDetails(state.describe())
  // Runs of earlier versions have an activity for each stage.
  const run = patched('build-artifact') ? buildStages : stageByStage
  try {
    return settle(state, await run(state, job))
  } catch (error) {
    return await endEarly(state, job, error)
  }
}

/** Ends the row of a job whose stages did not complete, then ends the workflow in the same way. */
async function endEarly(state: CompileProgressState, job: CompileInput, error: unknown): Promise<CompileOutcome> {
  if (isCancellation(error)) {
    const final = await CancellationScope.nonCancellable(() =>
      finish.finishCancelled.executeWithOptions({ ...FINISH, summary: 'End cancelled' }, [job]),
    )
    if (final.status !== 'cancelled') return settle(state, final)
    settle(state, final)
    throw error
  }
  const errorCode = codeOfFailure(error, isErrorCode)
  const final = await CancellationScope.nonCancellable(() =>
    finish.finishFailed.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [{ ...job, errorCode }]),
  )
  return settle(state, final, error)
}

/** Shows the job's outcome and ends the workflow with it. */
function settle(state: CompileProgressState, final: FinalJob, cause?: unknown): CompileOutcome {
  state.finish(final.status, final.errorCode, final.stage)
  show(state)
  if (final.status === 'ready' || final.status === 'gated' || final.status === 'cancelled') {
    return { status: final.status, kScore: final.kScore }
  }
  throw ApplicationFailure.create({
    type: final.errorCode ?? 'internal',
    message: `the compile failed in ${state.snapshot().stage}: ${final.errorCode ?? 'internal'}`,
    nonRetryable: true,
    ...(cause instanceof Error ? { cause } : {}),
  })
}
