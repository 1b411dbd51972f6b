import type { SqlRunner } from '../../kernel/database.ts'

/** What a tenant's subscriptions come to. */
export interface EndedSubscriptions {
  readonly ids: readonly string[]
  /** When the last of them ends; null when there is none. */
  readonly lastEndsAt: Date | null
}

/**
 * Decides that every subscription of a tenant ends: now, or with the period that is paid. One whose period nobody knows
 * ends now, and one that ends earlier stays as it is. The processor is told by the workflow. The tenant must be locked.
 */
export async function endSubscriptions(
  sql: SqlRunner,
  input: { readonly tenantId: string; readonly now: Date; readonly isAtPeriodEnd: boolean },
): Promise<EndedSubscriptions> {
  const { tenantId, now, isAtPeriodEnd } = input
  const rows = await sql.query<{ id: string; endsAt: Date }>(
    `update subscriptions s set
       ends_at = e.at,
       end_pushed_at = case when s.ends_at = e.at and not e.is_taken_back then s.end_pushed_at end,
       resume_due_at = null,
       updated_at = $2
     from (
       select id, case
           when not is_taken_back and ends_at is not null and ends_at < wanted then ends_at else wanted
         end as at, is_taken_back
       from (
         select id, ends_at,
           case when $3 and current_period_end > $2 then current_period_end else $2 end as wanted,
           coalesce(end_pushed_at < to_timestamp(event_created / 10) and not is_cancel_at_period_end, false)
             as is_taken_back
         from subscriptions where tenant_id = $1 and status not in ('canceled', 'incomplete_expired')
       ) open
     ) e
     where s.id = e.id and s.tenant_id = $1
     returning s.id, s.ends_at as "endsAt"`,
    [tenantId, now, isAtPeriodEnd],
  )
  const ends = rows.map(({ endsAt }) => endsAt.getTime())
  return {
    ids: rows.map(({ id }) => id).toSorted(),
    lastEndsAt: ends.length === 0 ? null : new Date(Math.max(...ends)),
  }
}
