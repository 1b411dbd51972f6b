import { createCloudJobActivities } from './cloud/activities.ts'
import type { CloudJobDeps } from './cloud/deps.ts'
import { reconcileCloudJobs } from './cloud/reconcile.ts'
import { createBakeoffActivities } from './bakeoff/activities.ts'
import type { BakeoffDeps } from './bakeoff/deps.ts'
import { reconcileBakeoffs } from './bakeoff/reconcile.ts'
import { createMeasurementActivities } from './bench/activities.ts'
import type { MeasurementDeps } from './bench/deps.ts'
import { reconcileMeasurements } from './bench/reconcile.ts'
import { createDatasetActivities } from './datasets/activities.ts'
import type { DatasetDeps } from './datasets/deps.ts'
import { eraseForgottenRows } from './datasets/erase-forgotten.ts'
import { reconcileDatasets } from './datasets/reconcile.ts'
import { createEvaluationActivities } from './evals/activities.ts'
import type { EvaluationDeps } from './evals/deps.ts'
import { reconcileEvaluations } from './evals/reconcile.ts'
import { createDistillActivities } from './distill/activities.ts'
import type { DistillDeps } from './distill/deps.ts'
import { reconcileRuns } from './distill/reconcile.ts'
import { createGateActivities } from './gate/activities.ts'
import type { GateDeps } from './gate/deps.ts'
import { reconcileGates } from './gate/reconcile.ts'
import { createTrafficActivities } from './traffic/activities.ts'
import type { TrafficDeps } from './traffic/observe-traffic.ts'

/** Returns the activities of learning by queue. */
export const learnActivities = (
  deps: TrafficDeps &
    DatasetDeps &
    EvaluationDeps &
    GateDeps &
    BakeoffDeps &
    MeasurementDeps &
    DistillDeps &
    CloudJobDeps,
) => {
  const { buildDataset, ...endDataset } = createDatasetActivities(deps)
  const { askModel, failEvaluation, ...scoring } = createEvaluationActivities(deps)
  const { scoreGate, failGate } = createGateActivities(deps)
  const { answerRows, concludeBakeoff, ...endBakeoff } = createBakeoffActivities(deps)
  const { measureInference, failMeasurement } = createMeasurementActivities(deps)
  const { curateRows, compareModels, evaluateStudent, ...distilling } = createDistillActivities(deps)
  return {
    compile: {
      buildDataset,
      ...scoring,
      scoreGate,
      answerRows,
      concludeBakeoff,
      measureInference,
      curateRows,
      compareModels,
      evaluateStudent,
    },
    io: {
      ...createTrafficActivities(deps),
      ...endDataset,
      askModel,
      failEvaluation,
      failGate,
      ...endBakeoff,
      failMeasurement,
      ...distilling,
      ...createCloudJobActivities(deps),
    },
  }
}

/** The chores that reconcile the families of learning, and that which erases what was forgotten. */
export const LEARN_CHORES = [
  reconcileDatasets,
  eraseForgottenRows,
  reconcileEvaluations,
  reconcileGates,
  reconcileCloudJobs,
  reconcileBakeoffs,
  reconcileMeasurements,
  reconcileRuns,
]
