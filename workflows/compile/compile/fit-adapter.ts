import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import type { AdapterSummary, FitRef, FitSummary } from '../../../activities/compile/compile/results.ts'
import { isErrorCode, type ErrorCode } from '../../../core/compile/errors.ts'
import { codeOfFailure, isNeverStarted } from '../../kernel/failures.ts'
import { COMPUTE, FIT, FIT_OUTSIDE, WATCH } from '../../kernel/policies.ts'
import { fitElsewhere } from '../rental/start-rental.ts'
import type { CompileInput } from './messages.ts'
import type { CompileProgressState } from './progress.ts'

const compute = proxyActivities<CompileActivities>(COMPUTE)
const here = proxyActivities<CompileActivities>(FIT)
const outside = proxyActivities<CompileActivities>(FIT_OUTSIDE)
const watch = proxyActivities<CompileActivities>(WATCH)

/** The stage `lora-fit` with the decision as an activity of its own, for runs of earlier versions. */
export async function planAndFitAdapter(state: CompileProgressState, job: CompileInput): Promise<AdapterSummary> {
  const plan = await compute.planAdapter.executeWithOptions(
    { ...COMPUTE, summary: 'Decide whether an adapter is needed, and prepare its rows' },
    [job],
  )
  return plan.status === 'planned' ? await fitAdapter(state, job, plan) : plan
}

/**
 * Fits the planned adapter with the requested trainer, and judges it with the earlier kinds. Plans of earlier versions
 * may have a fit for each fold before the one that ships. A failed fit is an outcome, unless it failed with an
 * unexpected error.
 */
export async function fitAdapter(
  state: CompileProgressState,
  job: CompileInput,
  plan: AdapterSummary,
): Promise<AdapterSummary> {
  const fits: FitSummary[] = []
  let failure: ErrorCode | null = null
  for (const [place, inputSha256] of plan.fits.entries()) {
    state.remark(`fit ${place + 1} of ${plan.fits.length} on ${plan.trainRows} rows`)
    try {
      fits.push(await fitOnce(plan, { ...job, inputSha256 }))
    } catch (error) {
      failure = outcomeOf(error)
      break
    }
  }
  return await compute.judgeAdapter.executeWithOptions(
    {
      ...FIT,
      summary: failure === null ? 'Let the adapter answer the held-out rows and judge it' : `Give up: ${failure}`,
    },
    [{ ...job, fits, failure }],
  )
}

/**
 * One fit. With an external trainer, Temporal's own limits cannot tell a busy one from an absent one: the watcher can.
 */
async function fitOnce({ trainer, trainRows }: AdapterSummary, fit: FitRef): Promise<FitSummary> {
  const summary = `Fit an adapter on ${trainRows} rows`
  if (trainer === 'rented' || trainer === 'pool') return await fitElsewhere(fit, { isPool: trainer === 'pool' })
  if (trainer === 'embedded') return await here.fitAdapter.executeWithOptions({ ...FIT, summary }, [fit])
  // The contract with trainers of other languages.
  const asked: FitRef = { jobId: fit.jobId, inputSha256: fit.inputSha256 }
  const watching = new CancellationScope()
  const fitting = new CancellationScope()
  let missed: unknown
  const watched = watching
    .run(() =>
      watch.watchTrainer.executeWithOptions({ ...WATCH, summary: 'Report the progress of the trainer' }, [fit]),
    )
    .catch((error: unknown) => {
      if (codeOfFailure(error, isErrorCode) !== 'no_trainer_installed') return
      missed = error
      fitting.cancel()
    })
  try {
    return await fitting.run(() => outside.fitAdapter.executeWithOptions({ ...FIT_OUTSIDE, summary }, [asked]))
  } catch (error) {
    throw missed ?? error
  } finally {
    watching.cancel()
    await watched
  }
}

/** Codes that mean that the job is over or that the service failed; they say nothing about the fit. */
const NO_OUTCOME: ReadonlySet<ErrorCode> = new Set([
  'internal',
  'compile_cancelled',
  'already_finished',
  'not_found',
  'store_unavailable',
  'workflow_engine_unavailable',
  'rental_failed',
  'rental_unclear',
  'rental_budget_used',
  'rental_not_configured',
  'no_pool_worker',
  'pool_attempts_used',
])

/** Returns why a fit failed. Throws the error when it is none of the fit's own. */
function outcomeOf(error: unknown): ErrorCode {
  if (isCancellation(error)) throw error
  if (isNeverStarted(error)) return 'no_trainer_installed'
  const code = codeOfFailure(error, isErrorCode)
  if (NO_OUTCOME.has(code)) throw error
  return code
}
