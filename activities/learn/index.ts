import { createEvaluationActivities } from './evals/activities.ts'
import type { EvaluationDeps } from './evals/deps.ts'
import { reconcileEvaluations } from './evals/reconcile.ts'
import { createTrafficActivities } from './traffic/activities.ts'
import type { TrafficDeps } from './traffic/observe-traffic.ts'

/** Returns the activities of learning by queue. */
export const learnActivities = (deps: TrafficDeps & EvaluationDeps) => {
  const { failEvaluation, ...scoring } = createEvaluationActivities(deps)
  return { compile: scoring, io: { ...createTrafficActivities(deps), failEvaluation } }
}

/** The chores that reconcile the families of learning. */
export const LEARN_CHORES = [reconcileEvaluations]
