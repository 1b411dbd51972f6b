import { sql } from 'kysely'
import type { Limits } from '../../../../core/billing/limits.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { ChargedTo } from '../../../billing/usage/charged-to.ts'
import { periodOf } from '../../../billing/quota/period.ts'
import { quotaExhausted, returnUnits } from '../../../billing/quota/units.ts'
import { quotaOf, type QuotaTerms } from '../../../../core/kernel/tenant/quota-of.ts'

interface Reservation extends ChargedTo {
  readonly tenantId: string
  readonly jobId: string
  readonly period: string
  readonly units: number
  readonly quota: number
  readonly now: Date
}

const reserveUnits = prepared((q, row: Reservation) =>
  q
    .with('taken', (of) =>
      of
        .insertInto('quota_periods')
        .columns(['tenant_id', 'period', 'used_units'])
        .expression(
          of
            .selectNoFrom([
              sql<string>`${row.tenantId}::text`.as('tenant_id'),
              sql<string>`${row.period}::text`.as('period'),
              sql<number>`${row.units}::bigint`.as('used_units'),
            ])
            .where(sql<boolean>`${row.units}::bigint <= ${row.quota}::bigint`),
        )
        .onConflict((on) =>
          on
            .columns(['tenant_id', 'period'])
            .doUpdateSet({ used_units: sql<number>`quota_periods.used_units + excluded.used_units` })
            .where(sql<boolean>`quota_periods.used_units + excluded.used_units <= ${row.quota}::bigint`),
        )
        .returning(['tenant_id', 'period']),
    )
    .insertInto('quota_reservations')
    .columns(['job_id', 'tenant_id', 'period', 'units', 'namespace', 'team_id', 'member_id', 'state', 'created_at'])
    .expression((of) =>
      of
        .selectFrom('taken')
        .select([
          sql<string>`${row.jobId}::text`.as('job_id'),
          'tenant_id',
          'period',
          sql<number>`${row.units}::bigint`.as('units'),
          sql<string>`${row.namespace}::text`.as('namespace'),
          sql<string>`${row.teamId}::text`.as('team_id'),
          sql<string>`${row.memberId}::text`.as('member_id'),
          sql.lit('reserved').as('state'),
          sql<Date>`${row.now}::timestamptz`.as('created_at'),
        ]),
    )
    .returning('job_id'),
)

const settleUnits = prepared((q, { jobId }: { readonly jobId: string }) =>
  q
    .updateTable('quota_reservations')
    .set({ state: 'settled' })
    .where('job_id', '=', jobId)
    .where('state', '=', 'reserved'),
)

/**
 * Reserves the units of one compile, in one row update, so that any number of concurrent callers get exactly the quota.
 * Throws `quota_exhausted` `{used, quota, resets_at}`; then no units are taken.
 */
export async function reserveCompile(
  tx: Transaction,
  input: QuotaTerms & {
    readonly tenantId: string
    readonly jobId: string
    readonly chargedTo: ChargedTo
    readonly limits: Limits
    readonly now: Date
  },
): Promise<void> {
  const { tenantId, jobId, chargedTo, now } = input
  const units = input.limits.quota_units_per_compile
  const quota = quotaOf(input, input.limits)
  const reserved = await tx.send(
    reserveUnits({ tenantId, jobId, ...chargedTo, period: periodOf(now), units, quota, now }),
  )
  if (reserved.length === 0) throw await quotaExhausted(tx, tenantId, { what: 'a compile', units, quota }, now)
}

/** Keeps the reserved units of a successful compile; goes with the next statement. */
export function settleCompile(tx: Transaction, jobId: string): void {
  tx.post(settleUnits({ jobId }))
}

/** Returns the reserved units of an unsuccessful compile to the month that they were taken from. */
export async function releaseCompile(tx: Transaction, jobId: string): Promise<void> {
  const released = await tx.q
    .updateTable('quota_reservations')
    .set({ state: 'released' })
    .where('job_id', '=', jobId)
    .where('state', '=', 'reserved')
    .returning(['tenant_id as tenantId', 'period', 'units'])
    .executeTakeFirst()
  if (released === undefined) return
  await returnUnits(tx, released, released.units)
}
