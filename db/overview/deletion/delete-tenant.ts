import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { OVERVIEW_ERRORS } from '../../../core/overview/errors.ts'
import type { Limits } from '../../../core/overview/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { endSubscriptions } from '../../billing/subscriptions/end-subscriptions.ts'
import { projectBilling } from '../../billing/standing/project.ts'
import { takeMailToAddress } from '../../accounts/mails/address-limit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { endAccess } from '../../accounts/tenants/end-access.ts'
import { lockDoors } from '../../accounts/tenants/lock-doors.ts'
import { findTenant } from '../../kernel/tenant/find-tenant.ts'
import { purgeDay } from './purge/due.ts'
import { requestDeletion } from './request-deletion.ts'

/**
 * Deletes a tenant softly: with this transaction its keys and sessions end on every process, the secrets of its vault
 * are gone, joining and sign-in are closed, and the free plan is in force. Signed artifacts stay verifiable. A workflow
 * cancels running work and notifies the payment processor; neither delays this. `deleted_tenant_days` later it removes
 * the data as well, see `purge/purge-tenant.ts`. Throws `confirm_mismatch` unless `confirm` is exactly `DELETE <name>`.
 */
export async function deleteTenant(
  op: Operation,
  input: { readonly confirm: string; readonly limits: Limits },
): Promise<Date> {
  requireScope(op, 'account:delete')
  const isToBeTold = await mayTell(op, input.limits)
  return await op.write(async (tx) => {
    const now = op.now()
    const tenant = await tx.q
      .selectFrom('tenants')
      .select(['name', 'email'])
      .where('id', '=', op.tenantId)
      .where('deleted_at', 'is', null)
      .where('kind', '<>', 'operator')
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (tenant === undefined) throw KERNEL_ERRORS.not_found('no such account')
    if (input.confirm !== `DELETE ${tenant.name}`) {
      throw OVERVIEW_ERRORS.confirm_mismatch('confirm must be exactly DELETE and the name of the account')
    }
    await lockDoors(tx, op.tenantId)
    const { ids } = await endSubscriptions(tx, { tenantId: op.tenantId, now, isAtPeriodEnd: false })
    await tx.q
      .updateTable('tenants')
      .set({ deleted_at: now, pending_plan: null, trial_ends_at: null })
      .where('id', '=', op.tenantId)
      .execute()
    await closeDoors(tx, op.tenantId, now)
    await projectBilling(tx, op, { limits: input.limits, reason: 'deletion' })
    await recordAudit(tx, op, {
      action: 'tenant.deleted',
      target: op.tenantId,
      payload: { subscriptions: [...ids] },
    })
    if (tenant.email !== null && isToBeTold) {
      await enqueueMail(tx, op.db, {
        template: 'tenant_deleted',
        to: tenant.email,
        tenantId: op.tenantId,
        params: { workspace: tenant.name, purge_at: purgeDay(input.limits, now).toISOString() },
        now,
      })
    }
    await requestDeletion(tx, { tenantId: op.tenantId, now })
    return now
  })
}

/** Returns false for an unverified address that got many mails: it may be a stranger's. */
async function mayTell(op: Operation, limits: Limits): Promise<boolean> {
  const tenant = await findTenant(op.db, op.tenantId)
  const email = tenant?.email ?? null
  if (email === null || tenant?.isEmailVerified === true) return true
  return (await takeMailToAddress(op.db, { kind: 'notice', email, limits })).isAllowed
}

/**
 * Ends every way in for a tenant's people, machines and identity provider, and removes the secrets that they stored.
 */
async function closeDoors(tx: Transaction, tenantId: string, now: Date): Promise<void> {
  await endAccess(tx, tenantId, now)
  await tx.q
    .updateTable('provider_keys')
    .set({ sealed_value: Buffer.alloc(0), prefix: '', fingerprint: '', updated_at: now })
    .where('tenant_id', '=', tenantId)
    .execute()
  await tx.q
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
  await tx.q
    .updateTable('members')
    .set({ state: 'deactivated', deactivated_at: now, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'active')
    .execute()
  await tx.q
    .updateTable('sso_configs')
    .set({
      is_enabled: false,
      is_scim_enabled: false,
      sealed_client_secret: null,
      idp_entity_id: null,
      updated_at: now,
    })
    .where('tenant_id', '=', tenantId)
    .execute()
  await tx.q
    .updateTable('share_links')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tenantId)
    .where('revoked_at', 'is', null)
    .execute()
}
