import { ApplicationFailure, proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow'
import { isErrorCode } from '../../../core/learn/errors.ts'
import { MEASURING } from '../../../core/compile/stages/pool/run-terms.ts'
import type { MeasurementActivities } from '../../../activities/learn/bench/activities.ts'
import { computeOn } from '../../kernel/compute-on.ts'
import { codeOfFailure } from '../../kernel/failures.ts'
import { STAGE_KEY } from '../../kernel/names.ts'
import { COMPUTE, FINISH } from '../../kernel/policies.ts'
import type { InferenceInput, InferenceOutcome } from './messages.ts'

const compute = proxyActivities<MeasurementActivities>(COMPUTE)
const finish = proxyActivities<MeasurementActivities>(FINISH)

/** Measures inference: one activity makes all calls, since those of two processes are no single figure, and signs the row. */
export async function inference({ measurementId, tenantId }: InferenceInput): Promise<InferenceOutcome> {
  const ref: InferenceInput = { measurementId, tenantId }
  show('running')
  try {
    await compute.measureInference.executeWithOptions(
      { ...computeOn(MEASURING), summary: 'Call the target, and sign the row' },
      [ref],
    )
    show('succeeded')
    return { state: 'succeeded' }
  } catch (error) {
    const errorCode = codeOfFailure(error, isErrorCode)
    await finish.failMeasurement.executeWithOptions({ ...FINISH, summary: `End failed: ${errorCode}` }, [
      { ...ref, errorCode },
    ])
    show('failed', errorCode)
    throw ApplicationFailure.create({
      type: errorCode,
      message: `the measurement failed: ${errorCode}`,
      nonRetryable: true,
      ...(error instanceof Error ? { cause: error } : {}),
    })
  }
}

function show(state: string, note?: string): void {
  setCurrentDetails(note === undefined ? state : `${state}: ${note}`)
  upsertSearchAttributes([{ key: STAGE_KEY, value: state }])
}
