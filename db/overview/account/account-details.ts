import type { BillingStatus } from '../../../core/kernel/tenant/billing-status.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { seatsUsed } from '../../accounts/members/seats.ts'
import { boundsOf } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { TenantKind } from '../../../core/kernel/tenant/tenant-kinds.ts'

/** A tenant with its invoice details. */
export interface AccountDetails {
  readonly id: string
  readonly name: string
  readonly kind: TenantKind
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly plan: PlanId
  readonly pendingPlan: PlanId | null
  readonly billingStatus: BillingStatus
  readonly quotaOverride: number | null
  readonly trialEndsAt: Date | null
  readonly expiresAt: Date | null
  readonly createdAt: Date
  /** Active members, and seats held by invitations. */
  readonly seatsUsed: number
  readonly companyName: string | null
  readonly countryCode: string | null
  readonly vatNumber: string | null
  readonly taxId: string | null
}

const COLUMNS = [
  't.id',
  't.name',
  't.kind',
  't.email',
  't.is_email_verified as isEmailVerified',
  't.plan',
  't.pending_plan as pendingPlan',
  't.billing_status as billingStatus',
  't.quota_override as quotaOverride',
  't.trial_ends_at as trialEndsAt',
  't.expires_at as expiresAt',
  't.created_at as createdAt',
  'b.company_name as companyName',
  'b.country_code as countryCode',
  'b.vat_number as vatNumber',
  'b.tax_id as taxId',
] as const

/** A key that is bound to namespaces works for a part of the tenant, so it sees neither its people nor its invoices. */
const HIDDEN_FROM_BOUND_KEYS = { email: null, companyName: null, countryCode: null, vatNumber: null, taxId: null }

/**
 * Returns the tenant's own record, for a key that is bound to namespaces without address and invoice details. Throws
 * `not_found` when it was just deleted.
 */
export async function accountDetails(op: Operation): Promise<AccountDetails> {
  const [[row], seats] = await Promise.all([
    op.read((q) =>
      q
        .selectFrom('tenants as t')
        .leftJoin('billing_accounts as b', 'b.tenant_id', 't.id')
        .select(COLUMNS)
        .where('t.id', '=', op.tenantId)
        .where('t.deleted_at', 'is', null),
    ),
    seatsUsed(op, op.tenantId, op.now()),
  ])
  if (row === undefined) throw KERNEL_ERRORS.not_found('no such tenant')
  return { ...row, seatsUsed: seats, ...(boundsOf(op) !== null && HIDDEN_FROM_BOUND_KEYS) }
}
