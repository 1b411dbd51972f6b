import { sql, type RawBuilder } from 'kysely'
import type { BillingStatus } from '../../../../core/kernel/tenant/billing-status.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../../kernel/tables/page.ts'
import { periodOf } from '../../../billing/quota/period.ts'
import type { TenantKind } from '../../../../core/kernel/tenant/tenant-kinds.ts'

/** A tenant as operators see it: no key, no hash, no content. */
export interface TenantOverview {
  readonly id: string
  readonly name: string
  readonly kind: TenantKind
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly plan: PlanId
  /** Overrides the plan's units per month. */
  readonly quotaOverride: number | null
  /** Units used in the current month. */
  readonly used: number
  /** Number of active members. */
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

/** Filter: tenants whose name or address holds the text, or all. Deleted ones are excluded. */
export interface TenantSearch extends PageRequest {
  readonly q?: string | undefined
}

const WHY = 'operators see all tenants'

/** Lists the tenants of the service, newest first. Throws `invalid_cursor`. */
export async function listTenants(op: Operation, input: TenantSearch): Promise<Page<TenantOverview>> {
  const after = placeOf(input.cursor)
  const period = periodOf(op.now())
  const rows = await service.read(op.db, WHY, (q) =>
    q
      .selectFrom('tenants as t')
      .select([
        't.id',
        't.name',
        't.kind',
        't.email',
        't.is_email_verified as isEmailVerified',
        't.plan',
        't.quota_override as quotaOverride',
        't.billing_status as billingStatus',
        't.created_at as createdAt',
        't.expires_at as expiresAt',
      ])
      .select((of) => {
        const taken = of
          .selectFrom('quota_periods')
          .select('used_units')
          .whereRef('tenant_id', '=', 't.id')
          .where('period', '=', period)
        const leased = of
          .selectFrom('quota_leases')
          .select(sql<number>`sum(granted_units - spent_units)`.as('units'))
          .whereRef('tenant_id', '=', 't.id')
          .where('period', '=', period)
        return [
          sql<number>`greatest(coalesce(${taken}, 0) - coalesce(${leased}, 0), 0)::bigint`.as('used'),
          of
            .selectFrom('members')
            .select(of.fn.countAll<number>().as('seats'))
            .whereRef('tenant_id', '=', 't.id')
            .where('state', '=', 'active')
            .$asScalar()
            .$notNull()
            .as('seats'),
          of
            .selectFrom('external_identities')
            .select(sql<string>`split_part(provider, ':', 1)`.as('provider'))
            .whereRef('tenant_id', '=', 't.id')
            .orderBy('last_used_at', 'desc')
            .limit(1)
            .as('authProvider'),
          of
            .selectFrom('api_keys')
            .select(sql<string>`'ks_' || lookup_id`.as('prefix'))
            .whereRef('tenant_id', '=', 't.id')
            .where('kind', '=', 'primary')
            .where('revoked_at', 'is', null)
            .as('keyPrefix'),
          of
            .selectFrom('api_keys')
            .select(sql<Date | null>`max(last_used_at)`.as('at'))
            .whereRef('tenant_id', '=', 't.id')
            .as('lastUsedAt'),
        ]
      })
      .where(matches(input.q))
      .where(sql<boolean>`(t.created_at, t.id) < (${new Date(after.rank)}, ${after.id})`)
      .orderBy('t.created_at', 'desc')
      .orderBy('t.id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}

/** Returns the total number of tenants that match. */
export async function countTenants(op: Operation, q: string | undefined): Promise<number> {
  const [row] = await service.read(op.db, WHY, (reads) =>
    reads.selectFrom('tenants as t').select(reads.fn.countAll<number>().as('total')).where(matches(q)),
  )
  return row?.total ?? 0
}

/** Returns a pattern for the literal text: its own `%` and `_` are escaped. */
function matches(q: string | undefined): RawBuilder<boolean> {
  const isListed = sql<boolean>`t.deleted_at is null and t.kind <> 'operator'`
  if (q === undefined) return isListed
  const pattern = `%${q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`${isListed} and (t.name ilike ${pattern} or t.email ilike ${pattern} or t.id = ${q})`
}
