import {
  ApplicationFailure,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { isErrorCode } from '../../../core/compile/errors.ts'
import type { CompileActivities } from '../../../activities/compile/compile/activities.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import { changedSignal, type AcceptInput, type AcceptOutcome } from './messages.ts'

const compute = proxyActivities<CompileActivities>(COMPUTE)
const finish = proxyActivities<CompileActivities>(FINISH)

/**
 * Signs the best candidate of a gated job that was accepted: one activity bundles, signs and publishes it. A failure
 * ends the acceptance, gives its units back and fails the workflow with the machine code as its type, unless the job was
 * accepted again meanwhile: then the work starts over. After a cancellation the acceptance stays pending, and the
 * reconciler starts the work again.
 */
export async function acceptCandidate({ jobId, tenantId }: AcceptInput): Promise<AcceptOutcome> {
  const job: AcceptInput = { jobId, tenantId }
  let isAskedAgain = false
  setHandler(changedSignal, () => {
    isAskedAgain = true
  })
  for (;;) {
    show('bundle')
    try {
      const { status } = await compute.signAccepted.executeWithOptions(
        { ...COMPUTE, summary: 'Bundle, sign and publish the accepted candidate' },
        [job],
      )
      show(status)
      return { status }
    } catch (error) {
      if (isCancellation(error)) throw error
      // No caller can accept again before the activity below has ended this acceptance.
      isAskedAgain = false
      const errorCode = codeOfFailure(error, isErrorCode)
      await finish.failAcceptance.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
        { ...job, errorCode },
      ])
      show('failed', errorCode)
      if (!isAskedAgain) throw failureOf(errorCode, error)
    }
  }
}

function failureOf(errorCode: string, cause: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type: errorCode,
    message: `the accepted candidate was not signed: ${errorCode}`,
    nonRetryable: true,
    ...(cause instanceof Error ? { cause } : {}),
  })
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
