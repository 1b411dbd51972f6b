import { sql } from 'kysely'
import { OVER } from '../../../core/billing/events/fold.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Result of ending a tenant's subscriptions. */
export interface EndedSubscriptions {
  readonly ids: readonly string[]
  /** When the last of them ends; null when there is none. */
  readonly lastEndsAt: Date | null
}

/**
 * Ends every subscription of a tenant: now, or with the paid period. One without a known period ends now, and one that
 * ends earlier is unchanged. The workflow notifies the processor. The tenant must be locked.
 */
export async function endSubscriptions(
  tx: Transaction,
  input: { readonly tenantId: string; readonly now: Date; readonly isAtPeriodEnd: boolean },
): Promise<EndedSubscriptions> {
  const { tenantId, now, isAtPeriodEnd } = input
  const wanted = isAtPeriodEnd
    ? sql<Date>`case when current_period_end > ${now}::timestamptz then current_period_end else ${now}::timestamptz end`
    : sql<Date>`${now}::timestamptz`
  const rows = await tx.q
    .updateTable('subscriptions as s')
    .from((from) =>
      from
        .selectFrom((open) =>
          open
            .selectFrom('subscriptions')
            .select([
              'id',
              'ends_at',
              wanted.as('wanted'),
              sql<boolean>`coalesce(end_pushed_at < to_timestamp(event_created / 10) and not is_cancel_at_period_end, false)`.as(
                'is_taken_back',
              ),
            ])
            .where('tenant_id', '=', tenantId)
            .where('status', 'not in', OVER)
            .as('open'),
        )
        .select([
          'id',
          sql<Date>`case
            when not is_taken_back and ends_at is not null and ends_at < wanted then ends_at else wanted
          end`.as('at'),
          'is_taken_back',
        ])
        .as('e'),
    )
    .set({
      ends_at: (of) => of.ref('e.at'),
      end_pushed_at: sql<Date | null>`case when s.ends_at = e.at and not e.is_taken_back then s.end_pushed_at end`,
      resume_due_at: null,
      updated_at: now,
    })
    .whereRef('s.id', '=', 'e.id')
    .where('s.tenant_id', '=', tenantId)
    .returning(['s.id', 'e.at as endsAt'])
    .execute()
  const ends = rows.map(({ endsAt }) => endsAt.getTime())
  return {
    ids: rows.map(({ id }) => id).toSorted(),
    lastEndsAt: ends.length === 0 ? null : new Date(Math.max(...ends)),
  }
}
