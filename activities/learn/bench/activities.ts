import type { ErrorCode } from '../../../core/learn/errors.ts'
import { finishMeasurement } from '../../../db/learn/bench/measurements.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type MeasurementDeps, type MeasurementRef } from './deps.ts'
import { failureText } from './failure-text.ts'
import { measureInference } from './measure-inference.ts'

/** The activities of measurements. Both are safe to repeat: a measurement that ended early is made anew, and ends once. */
export const createMeasurementActivities = (deps: MeasurementDeps) => ({
  measureInference: (ref: MeasurementRef) => measureInference(deps, ref),
  failMeasurement: ({ errorCode, ...ref }: MeasurementRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      const failure = { code: errorCode, message: failureText(errorCode) }
      await finishMeasurement(operationOf(deps, ref), ref.measurementId, { failure })
    }),
})

/** The activities of measurements, as their workflow sees them. */
export type MeasurementActivities = ReturnType<typeof createMeasurementActivities>
