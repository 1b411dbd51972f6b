import { sql } from 'kysely'
import type { RouteFacts } from '../../../core/gateway/routing/route-facts.ts'
import { conditionsOf } from '../captures/filter.ts'
import type { CaptureReader } from '../captures/read-columns.ts'

/** A call as a dashboard lists it. */
export type RecentCall = Awaited<ReturnType<typeof readRecentCalls>>[number]

/** Reads the newest captured calls, without forgotten ones. */
export async function readRecentCalls(
  op: CaptureReader,
  { namespace, most }: { readonly namespace?: string | undefined; readonly most: number },
) {
  return await op.read((q) =>
    q
      .selectFrom('captures as c')
      .select([
        'c.id',
        'c.at',
        'c.namespace',
        'c.provider',
        'c.model',
        'c.outcome',
        'c.status',
        'c.latency_us as latencyUs',
        'c.first_content_us as firstContentUs',
        'c.cost_micros as costMicros',
        'c.receipt_id as receiptId',
      ])
      .select(sql<Partial<RouteFacts> | null>`c.route`.as('route'))
      .where(conditionsOf(op.tenantId, { namespace, sources: ['gateway'] }))
      .orderBy('c.id', 'desc')
      .limit(most),
  )
}
