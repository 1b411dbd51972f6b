import { sql, type RawBuilder } from 'kysely'
import type { Limits } from '../../../../core/overview/limits.ts'

const DAY_MS = 86_400_000

/** Returns when the data of a tenant that ends now is removed. */
export function purgeDay(limits: Limits, now: Date): Date {
  return new Date(now.getTime() + limits.deleted_tenant_days * DAY_MS)
}

/** Returns the cutoff: a tenant that ended before it is due. */
export function dueBefore(limits: Limits, now: Date): Date {
  return new Date(now.getTime() - limits.deleted_tenant_days * DAY_MS)
}

/**
 * Returns a condition that the data of the tenant `t` is due for removal, of an expired workspace at once, of any other
 * when it ended before the cutoff.
 */
export function isDue(before: Date): RawBuilder<boolean> {
  return sql<boolean>`(t.deleted_at <= ${before}
    or t.deleted_at is not null and t.kind = 'anonymous' and t.claimed_into is null)`
}
