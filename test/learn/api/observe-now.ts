import { expect } from 'chai'
import { observeTraffic, type TrafficReport } from '../../../activities/learn/traffic/observe-traffic.ts'
import type { Limits } from '../../../core/limits.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { TEST_LIMITS } from '../../support/api.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'

/** Does the work of the schedule `observe-traffic` now. Throws what a visit throws. */
export async function observeNow(db: Database, limits: Partial<Limits> = {}): Promise<TrafficReport> {
  const deps = {
    db,
    limits: { ...TEST_LIMITS, ...limits },
    log: { ...testLog(), warn: ({ err }: { readonly err?: unknown }) => expect.fail(String(err)) },
    now: () => new Date(),
  }
  return await observeTraffic(deps, { cancelled: new AbortController().signal, progress: () => undefined })
}
