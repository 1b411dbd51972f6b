import { createGateActivities } from './gate/activities.ts'
import type { GateDeps } from './gate/deps.ts'
import { reconcileGates } from './gate/reconcile.ts'
import { createTrafficActivities } from './traffic/activities.ts'
import type { TrafficDeps } from './traffic/observe-traffic.ts'

/** Returns the activities of learning by queue. */
export const learnActivities = (deps: TrafficDeps & GateDeps) => {
  const { scoreGate, failGate } = createGateActivities(deps)
  return { compile: { scoreGate }, io: { ...createTrafficActivities(deps), failGate } }
}

/** The chores that reconcile the families of learning. */
export const LEARN_CHORES = [reconcileGates]
