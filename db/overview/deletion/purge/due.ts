import type { Limits } from '../../../../core/kernel/limits.ts'

const DAY_MS = 86_400_000

/** When the data goes of a tenant that ends now. */
export function purgeDay(limits: Limits, now: Date): Date {
  return new Date(now.getTime() + limits.deleted_tenant_days * DAY_MS)
}

/** A tenant that ended before this is due. */
export function dueBefore(limits: Limits, now: Date): Date {
  return new Date(now.getTime() - limits.deleted_tenant_days * DAY_MS)
}

/**
 * SQL for a tenant `t` whose data is to go: an expired workspace at once, any other when it ended before the time that
 * the parameter `before` holds.
 */
export function isDue(before: string): string {
  return `(t.deleted_at <= ${before}
    or t.deleted_at is not null and t.kind = 'anonymous' and t.claimed_into is null)`
}
