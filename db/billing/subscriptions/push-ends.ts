import type { Database, SqlRunner } from '../../kernel/database.ts'

/** What was decided about the end of a subscription, and the processor has not been told of. */
export interface EndToPush {
  readonly subscriptionId: string
  /** When it ends; null when it goes on after all. */
  readonly endsAt: Date | null
  /** When it was decided that it goes on; null when it ends. */
  readonly resumeDueAt: Date | null
}

/** Decisions about ends that the processor has not been told of. */
export async function endsToPush(sql: SqlRunner, tenantId: string): Promise<readonly EndToPush[]> {
  return await sql.query<EndToPush>(
    `select id as "subscriptionId", ends_at as "endsAt", resume_due_at as "resumeDueAt" from subscriptions
     where tenant_id = $1 and (ends_at is not null and end_pushed_at is null or resume_due_at is not null)
       and status not in ('canceled', 'incomplete_expired')
     order by id`,
    [tenantId],
  )
}

/** Notes that the processor was told, unless something else was decided meanwhile. */
export async function markEndPushed(
  db: Database,
  input: EndToPush & { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  const { tenantId, subscriptionId, endsAt, resumeDueAt, now } = input
  await db.query(
    `update subscriptions set resume_due_at = null, is_cancel_at_period_end = $3::timestamptz is not null,
       end_pushed_at = case when $3::timestamptz is not null then $5::timestamptz end
     where tenant_id = $1 and id = $2 and ends_at is not distinct from $3 and resume_due_at is not distinct from $4`,
    [tenantId, subscriptionId, endsAt, resumeDueAt, now],
  )
}
