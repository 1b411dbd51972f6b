import { sql } from 'kysely'
import type { MeterId } from '../../../core/billing/meters.ts'
import { list, unnest, type Queries } from '../../kernel/queries/typed.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { ChargedTo } from './charged-to.ts'

/** Usage of one day. */
export interface UsageRow extends ChargedTo {
  readonly tenantId: string
  /** `YYYY-MM-DD` (UTC). */
  readonly day: string
  readonly unit: MeterId
  readonly quantity: number
  readonly costUsdMicros: number
  readonly latencySumUs: number
}

/** Returns the day (UTC) of a point in time. */
export function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** Adds some of a meter that has neither cost nor latency, on the day of an operation. */
export async function countUse(
  tx: Transaction,
  op: Pick<Operation, 'tenantId' | 'now'>,
  { chargedTo, unit, quantity }: { readonly chargedTo: ChargedTo } & Pick<UsageRow, 'unit' | 'quantity'>,
): Promise<void> {
  const day = dayOf(op.now())
  const { namespace, teamId, memberId } = chargedTo
  const of = { tenantId: op.tenantId, namespace, teamId, memberId }
  await recordUsage(tx, [{ ...of, day, unit, quantity, costUsdMicros: 0, latencySumUs: 0 }])
}

const KEY = ['tenant_id', 'day', 'unit', 'namespace', 'team_id', 'member_id'] as const

/** Adds usage of the transaction's tenant to the stored sums, see `addUse`. */
export async function recordUsage(tx: Transaction, rows: readonly UsageRow[]): Promise<void> {
  if (rows.length > 0) await addUse(tx.q, rows).execute()
}

/**
 * Returns the statement that adds usage to the stored sums by day and in total, in the order of the keys so that two
 * processes never deadlock. The usage of a purged tenant is dropped.
 */
export function addUse(queries: Queries, rows: readonly UsageRow[]) {
  const text = (of: (row: UsageRow) => string) => list('text', rows.map(of))
  const count = (of: (row: UsageRow) => number) => list('bigint', rows.map(of))
  const use = unnest('r', {
    tenant_id: text((row) => row.tenantId),
    day: text((row) => row.day),
    unit: text((row) => row.unit),
    namespace: text((row) => row.namespace),
    team_id: text((row) => row.teamId),
    member_id: text((row) => row.memberId),
    quantity: count((row) => row.quantity),
    cost_usd_micros: count((row) => row.costUsdMicros),
    latency_sum_us: count((row) => row.latencySumUs),
  })
  return queries
    .with('given', (q) =>
      q
        .selectFrom(use)
        .innerJoin('tenants as t', (on) => on.onRef('t.id', '=', 'r.tenant_id').on('t.purged_at', 'is', null))
        .selectAll('r'),
    )
    .with('by_day', (q) =>
      q
        .insertInto('usage_days')
        .columns([...KEY, 'quantity', 'cost_usd_micros', 'latency_sum_us'])
        .expression((of) =>
          of
            .selectFrom('given')
            .select(KEY)
            .select([
              sql<number>`sum(quantity)`.as('quantity'),
              sql<number>`sum(cost_usd_micros)`.as('cost_usd_micros'),
              sql<number>`sum(latency_sum_us)`.as('latency_sum_us'),
            ])
            .groupBy(KEY)
            .orderBy('tenant_id')
            .orderBy('day')
            .orderBy('unit')
            .orderBy('namespace')
            .orderBy('team_id')
            .orderBy('member_id'),
        )
        .onConflict((on) =>
          on.columns(KEY).doUpdateSet({
            quantity: sql<number>`usage_days.quantity + excluded.quantity`,
            cost_usd_micros: sql<number>`usage_days.cost_usd_micros + excluded.cost_usd_micros`,
            latency_sum_us: sql<number>`usage_days.latency_sum_us + excluded.latency_sum_us`,
          }),
        ),
    )
    .insertInto('unit_totals')
    .columns(['tenant_id', 'unit', 'quantity'])
    .expression((of) =>
      of
        .selectFrom('given')
        .select(['tenant_id', 'unit', sql<number>`sum(quantity)`.as('quantity')])
        .groupBy(['tenant_id', 'unit'])
        .orderBy('tenant_id')
        .orderBy('unit'),
    )
    .onConflict((on) =>
      on
        .columns(['tenant_id', 'unit'])
        .doUpdateSet({ quantity: sql<number>`unit_totals.quantity + excluded.quantity` }),
    )
}
