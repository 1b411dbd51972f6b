import type { BillingStatus } from '../../../core/kernel/tenant/billing-status.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { periodOf } from '../../billing/quota/period.ts'
import type { TenantKind } from '../../kernel/tenant/tenant.ts'

/** A tenant as those who run the service see it: no key, no hash, no content. */
export interface TenantOverview {
  readonly id: string
  readonly name: string
  readonly kind: TenantKind
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly plan: PlanId
  /** Units per month in place of the plan's. */
  readonly quotaOverride: number | null
  /** Units used in the present month. */
  readonly used: number
  /** Members that are active. */
  readonly seats: number
  /** The provider that its owner signs in with; null for keys and mails. */
  readonly authProvider: string | null
  readonly billingStatus: BillingStatus
  /** The public half of the primary key. */
  readonly keyPrefix: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  readonly expiresAt: Date | null
}

/** Which tenants: those whose name or address holds the text, or all. Deleted ones are not among them. */
export interface TenantSearch extends PageRequest {
  readonly q?: string | undefined
}

const MATCHES = `t.deleted_at is null and t.kind <> 'operator'
  and ($1::text is null or t.name ilike $1 or t.email ilike $1 or t.id = $2)`

/** The tenants of the service, newest first. Throws `invalid_cursor`. */
export async function listTenants(op: Operation, input: TenantSearch): Promise<Page<TenantOverview>> {
  const after = placeOf(input.cursor)
  const rows = await op.db.query<TenantOverview>(
    `select t.id, t.name, t.kind, t.email, t.is_email_verified as "isEmailVerified", t.plan,
       t.quota_override as "quotaOverride", t.billing_status as "billingStatus", t.created_at as "createdAt",
       t.expires_at as "expiresAt",
       greatest(coalesce((select used_units from quota_periods where tenant_id = t.id and period = $6), 0)
         - coalesce((select sum(granted_units - spent_units) from quota_leases
                     where tenant_id = t.id and period = $6), 0), 0)::bigint as used,
       (select count(*) from members where tenant_id = t.id and state = 'active') as seats,
       (select split_part(provider, ':', 1) from external_identities where tenant_id = t.id
        order by last_used_at desc limit 1) as "authProvider",
       (select 'ks_' || lookup_id from api_keys
        where tenant_id = t.id and kind = 'primary' and revoked_at is null) as "keyPrefix",
       (select max(last_used_at) from api_keys where tenant_id = t.id) as "lastUsedAt"
     from tenants t
     where ${MATCHES} and (t.created_at, t.id) < ($3, $4)
     order by t.created_at desc, t.id desc limit $5`,
    [...searchOf(input.q), new Date(after.rank), after.id, input.limit + 1, periodOf(op.now())],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}

/** How many tenants the search finds in all. */
export async function countTenants(op: Operation, q: string | undefined): Promise<number> {
  const [row] = await op.db.query<{ total: number }>(
    `select count(*) as total from tenants t where ${MATCHES}`,
    searchOf(q),
  )
  return row?.total ?? 0
}

/** The text as a pattern that finds it and nothing else: its own `%` and `_` are letters. */
function searchOf(q: string | undefined): readonly (string | null)[] {
  return q === undefined ? [null, null] : [`%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`, q]
}
