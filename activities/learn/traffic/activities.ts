import { runActivity } from '../../kernel/run-activity.ts'
import { observeTraffic, type TrafficDeps, type TrafficReport } from './observe-traffic.ts'

/** The activity behind the schedule of traffic. It does what the rows say is due, so repeating it is safe. */
export const createTrafficActivities = (deps: TrafficDeps) => ({
  observeTraffic: (): Promise<TrafficReport> =>
    runActivity(deps.log, ({ signal: cancelled, progress }) => observeTraffic(deps, { cancelled, progress })),
})

/** The activity, as its workflow sees it. */
export type TrafficActivities = ReturnType<typeof createTrafficActivities>
