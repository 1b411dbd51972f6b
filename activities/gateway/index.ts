import { createCaptureActivities } from './captures/activities.ts'
import type { CaptureDeps } from './captures/deps.ts'

/** Returns the activities of the gateway by queue. */
export const gatewayActivities = (deps: CaptureDeps) => ({ io: createCaptureActivities(deps) })
