import { sql } from 'kysely'
import type { MeterId } from '../../../core/billing/meters.ts'
import { listText, type ListText } from '../../../core/kernel/json/list-text.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import { unnest, writtenList, type Statement } from '../../kernel/queries/typed.ts'
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
  if (rows.length > 0) tx.post(addUse(rows))
}

/** Usage as it is bound, a list for each column. */
interface BoundUse {
  readonly tenantIds: ListText<string>
  readonly days: ListText<string>
  readonly units: ListText<string>
  readonly namespaces: ListText<string>
  readonly teamIds: ListText<string>
  readonly memberIds: ListText<string>
  readonly quantities: ListText<number>
  readonly costs: ListText<number>
  readonly latencies: ListText<number>
}

const insertUse = prepared((q, use: BoundUse) =>
  q
    .with('given', (of) =>
      of
        .selectFrom(
          unnest('r', {
            tenant_id: writtenList('text', use.tenantIds),
            day: writtenList('text', use.days),
            unit: writtenList('text', use.units),
            namespace: writtenList('text', use.namespaces),
            team_id: writtenList('text', use.teamIds),
            member_id: writtenList('text', use.memberIds),
            quantity: writtenList('bigint', use.quantities),
            cost_usd_micros: writtenList('bigint', use.costs),
            latency_sum_us: writtenList('bigint', use.latencies),
          }),
        )
        .innerJoin('tenants as t', (on) => on.onRef('t.id', '=', 'r.tenant_id').on('t.purged_at', 'is', null))
        .selectAll('r'),
    )
    .with('by_day', (of) =>
      of
        .insertInto('usage_days')
        .columns([...KEY, 'quantity', 'cost_usd_micros', 'latency_sum_us'])
        .expression((given) =>
          given
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
    ),
)

/**
 * Returns the statement that adds usage to the stored sums by day and in total, in the order of the keys so that two
 * processes never deadlock. The usage of a purged tenant is dropped.
 */
export function addUse(rows: readonly UsageRow[]): Statement<object> {
  const column = <T extends string | number>(of: (row: UsageRow) => T) => listText(rows.map(of))
  return insertUse({
    tenantIds: column(({ tenantId }) => tenantId),
    days: column(({ day }) => day),
    units: column(({ unit }) => unit),
    namespaces: column(({ namespace }) => namespace),
    teamIds: column(({ teamId }) => teamId),
    memberIds: column(({ memberId }) => memberId),
    quantities: column(({ quantity }) => quantity),
    costs: column(({ costUsdMicros }) => costUsdMicros),
    latencies: column(({ latencySumUs }) => latencySumUs),
  })
}
