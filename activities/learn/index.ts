import { createTrafficActivities } from './traffic/activities.ts'
import type { TrafficDeps } from './traffic/observe-traffic.ts'

/** Returns the activities of learning by queue. */
export const learnActivities = (deps: TrafficDeps) => ({ io: createTrafficActivities(deps) })
