import { MeasureInference } from '../../../core/learn/workflows.ts'
import { listOpenMeasurements } from '../../../db/learn/across/open-measurements.ts'
import { finishMeasurement } from '../../../db/learn/bench/measurements.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails a measurement whose run ended without ending it. */
export const reconcileMeasurements = reconciles({
  family: MeasureInference,
  open: async ({ db }, page) => await listOpenMeasurements(db, page),
  settle: async (deps, ref) => {
    const code = 'measurement_failed'
    await finishMeasurement(operationOf(deps, ref), ref.measurementId, {
      failure: { code, message: failureText(code) },
    })
    return true
  },
})
