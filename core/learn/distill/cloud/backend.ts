/** States of a job's machines: none is configured, one answers, it has been silent, or a provider rents them. */
export const BACKEND_STATUSES = ['no_pool_configured', 'reachable', 'unreachable', 'reachable_via_provider'] as const
/** The state of a job's machines. */
export type BackendStatus = (typeof BACKEND_STATUSES)[number]

/** A worker without a fit asks every five seconds; one that was heard within this time counts as there. */
const HEARD_MS = 60_000

/** Returns the status of the tenant's pools with the GPUs of a job. */
export function poolStatus(
  pools: readonly { readonly seenAt: Date | null; readonly leases: number }[],
  now: Date,
): BackendStatus {
  if (pools.length === 0) return 'no_pool_configured'
  const isHeard = pools.some(
    ({ seenAt, leases }) => leases > 0 || (seenAt !== null && now.getTime() - seenAt.getTime() <= HEARD_MS),
  )
  return isHeard ? 'reachable' : 'unreachable'
}
