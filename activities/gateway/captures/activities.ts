import { runActivity } from '../../kernel/run-activity.ts'
import type { CaptureDeps } from './deps.ts'
import { keepCaptures, type CaptureReport } from './keep-captures.ts'

/** The activity behind the schedule of captures. It inspects the state and does missing work, so repeating it is safe. */
export const createCaptureActivities = (deps: CaptureDeps) => ({
  keepCaptures: (): Promise<CaptureReport> => runActivity(deps.log, ({ signal }) => keepCaptures(deps, signal)),
})

/** The activity behind the schedule of captures, as its workflow sees it. */
export type CaptureActivities = ReturnType<typeof createCaptureActivities>
