import type { Limits } from '../../../core/learn/limits.ts'
import { dueTenants } from '../../../db/learn/across/due-tenants.ts'
import { visitTenant } from '../../../db/learn/traffic/visit-tenant.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import type { ActivityLog } from '../../kernel/activity-log.ts'

/** Dependencies of observing traffic. */
export interface TrafficDeps {
  readonly db: Database
  readonly limits: Limits
  readonly log: ActivityLog
  readonly now: () => Date
}

/** Results of a run, in numbers. */
export interface TrafficReport {
  /** Visits of tenants; one with much traffic is visited several times. */
  readonly visits: number
  /** Templates whose figures were counted. */
  readonly counted: number
  /** New templates that joined a cluster of others. */
  readonly joined: number
  /** Visits that failed; the next run tries again. */
  readonly failed: number
}

/** Time for one run; the next one does the rest. Below the interval of the schedule. */
const RUN_MS = 45_000

/**
 * Observes the traffic of all tenants with something new, in turns, so that one with much traffic does not hold up the
 * others. Throws when `cancelled` is aborted.
 */
export async function observeTraffic(
  deps: TrafficDeps,
  { cancelled, progress }: { readonly cancelled: AbortSignal; readonly progress: () => void },
): Promise<TrafficReport> {
  const { db, limits, now } = deps
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(RUN_MS)])
  const report = { visits: 0, counted: 0, joined: 0, failed: 0 }
  const visit = async (tenantId: string): Promise<boolean> => {
    report.visits++
    const op = systemOperation(db, { tenantId, name: 'observe-traffic', requestId: `${tenantId}/traffic`, now })
    try {
      const { counted, joined, isMore } = await visitTenant(op, limits)
      report.counted += counted
      report.joined += joined
      return isMore
    } catch (error) {
      report.failed++
      deps.log.warn({ err: error, tenant: tenantId }, 'the traffic of a tenant could not be observed')
      return false
    } finally {
      progress()
    }
  }
  for (let after = ''; !signal.aborted;) {
    const tenants = await dueTenants(db, { after, now: now() })
    const last = tenants.at(-1)
    if (last === undefined) break
    after = last
    let busy = tenants
    while (busy.length > 0 && !signal.aborted) {
      const again: string[] = []
      for (const tenantId of busy) {
        if (signal.aborted) break
        if (await visit(tenantId)) again.push(tenantId)
      }
      busy = again
    }
  }
  cancelled.throwIfAborted()
  return report
}
