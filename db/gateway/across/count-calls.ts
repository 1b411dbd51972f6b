import { sql } from 'kysely'
import type { Database } from '../../kernel/database.ts'
import { service, type ServiceTransaction } from '../../kernel/queries/service.ts'
import { columnOf } from '../../kernel/tables/define-table.ts'
import { SUM_NAMES } from '../../../core/gateway/record/dashboard/sum-calls.ts'
import { countMeasures, sumDays } from '../sums/count-captures.ts'

/** Tenants that are looked up at once. */
const BATCH = 200
/** Captures that one transaction counts. */
const COUNTED = 10_000
const WHY = 'calls are counted for all tenants'

/** Adds new captured calls to the sums by day, until all are counted or the signal is aborted. Returns how many captures it passed. */
export async function countCalls(db: Database, signal: AbortSignal): Promise<number> {
  let counted = 0
  for (let some = 1; some > 0 && !signal.aborted;) {
    some = 0
    const heads = await service.read(db, WHY, (q) =>
      q
        .selectFrom('capture_heads')
        .select(['tenant_id as tenantId', 'counted', 'position'])
        .whereRef('counted', '<', 'position')
        .orderBy('tenant_id')
        .limit(BATCH),
    )
    for (const { tenantId, counted: from, position } of heads) {
      if (signal.aborted) break
      const to = Math.min(position, from + COUNTED)
      await service.write(db, WHY, async (tx) => await countSome(tx, { tenantId, from, to }))
      some += to - from
    }
    counted += some
  }
  return counted
}

async function countSome(
  tx: ServiceTransaction,
  { tenantId, from, to }: { readonly tenantId: string; readonly from: number; readonly to: number },
): Promise<void> {
  const isNew = sql<boolean>`c.tenant_id = ${tenantId} and c.position > ${from} and c.position <= ${to}`
  await tx.q
    .insertInto('capture_days')
    .columns(['tenant_id', 'day', 'namespace', 'provider', 'is_local', 'reason', ...SUM_COLUMNS])
    .expression(sumDays(tx.q, isNew))
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'day', 'namespace', 'provider', 'is_local', 'reason'])
        .doUpdateSet(Object.fromEntries(SUM_COLUMNS.map((name) => [name, added('capture_days', name)]))),
    )
    .execute()
  await tx.q
    .insertInto('capture_measures')
    .columns(['tenant_id', 'day', 'namespace', 'provider', 'measure', 'bucket', 'calls'])
    .expression(countMeasures(tx.q, isNew))
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'day', 'namespace', 'provider', 'measure', 'bucket'])
        .doUpdateSet({ calls: added('capture_measures', 'calls') }),
    )
    .execute()
  // Last, since this lock holds up the tenant's captures. Another run that counted them too rolls this one back.
  const [head] = await tx.q
    .updateTable('capture_heads')
    .set({ counted: to })
    .where('tenant_id', '=', tenantId)
    .where('counted', '=', from)
    .returning('tenant_id')
    .execute()
  if (head === undefined) throw new Error('another run has counted the same captures')
}

type SumColumn =
  | 'calls'
  | 'failed'
  | 'interrupted'
  | 'cost_micros'
  | 'unpriced'
  | 'saved_micros'
  | 'saved_unknown'
  | 'hits'
  | 'hit_saved_micros'
  | 'hit_unknown'
  | 'confidence_sum'
  | 'confident'

const SUM_COLUMNS = SUM_NAMES.map((name) => columnOf(name) as SumColumn)

const added = (table: string, column: string) =>
  sql<number>`${sql.ref(`${table}.${column}`)} + ${sql.ref(`excluded.${column}`)}`
