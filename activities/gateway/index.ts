import { createCaptureActivities } from './captures/activities.ts'
import type { CaptureDeps } from './captures/deps.ts'
import { createForgetActivities } from './forget/activities.ts'
import { reconcileForgets } from './forget/reconcile.ts'

/** Returns the activities of the gateway by queue. */
export const gatewayActivities = (deps: CaptureDeps) => ({
  io: { ...createCaptureActivities(deps), ...createForgetActivities(deps) },
})

/** The chores that reconcile the families of the gateway. */
export const GATEWAY_CHORES = [reconcileForgets]
