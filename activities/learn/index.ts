import { createDatasetActivities } from './datasets/activities.ts'
import type { DatasetDeps } from './datasets/deps.ts'
import { eraseForgottenRows } from './datasets/erase-forgotten.ts'
import { reconcileDatasets } from './datasets/reconcile.ts'
import { createTrafficActivities } from './traffic/activities.ts'
import type { TrafficDeps } from './traffic/observe-traffic.ts'

/** Returns the activities of learning by queue. */
export const learnActivities = (deps: TrafficDeps & DatasetDeps) => {
  const { buildDataset, ...endDataset } = createDatasetActivities(deps)
  return { compile: { buildDataset }, io: { ...createTrafficActivities(deps), ...endDataset } }
}

/** The chores that reconcile the families of learning, and that which erases what was forgotten. */
export const LEARN_CHORES = [reconcileDatasets, eraseForgottenRows]
