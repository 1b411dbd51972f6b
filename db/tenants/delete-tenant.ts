import { DomainError } from '../../core/errors.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { endSubscriptions } from '../billing/end-subscriptions.ts'
import { projectBilling } from '../billing/project.ts'
import { enqueueMail } from '../mails/enqueue-mail.ts'
import { requireScope, type Operation } from '../operation.ts'
import { inTransaction, type Transaction } from '../transaction.ts'
import { requestPoke } from '../workflow-starts/request-poke.ts'

/** The id of the workflow that clears up after a deletion. */
export function deletionWorkflowId(tenantId: string): string {
  return `${tenantId}/deletion`
}

/**
 * Deletes a tenant softly: with this transaction its keys and sessions end on every process, the secrets of its vault are
 * gone, nobody can join or sign in, and the free plan is in force. What was signed goes on verifying. A workflow cancels
 * what runs and tells the payment processor; neither holds this up. Throws `confirm_mismatch` unless `confirm` is
 * `DELETE <name>`, to the letter.
 */
export async function deleteTenant(
  op: Operation,
  input: { readonly confirm: string; readonly limits: Limits },
): Promise<Date> {
  requireScope(op, 'account:delete')
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    const now = op.now()
    const [tenant] = await tx.query<{ name: string; email: string | null }>(
      `select name, email from tenants where id = $1 and deleted_at is null and kind <> 'operator' for no key update`,
      [op.tenantId],
    )
    if (tenant === undefined) throw new DomainError('not_found', 'no such account')
    if (input.confirm !== `DELETE ${tenant.name}`) {
      throw new DomainError('confirm_mismatch', 'confirm must be DELETE and the name of the account, to the letter')
    }
    const { ids } = await endSubscriptions(tx, { tenantId: op.tenantId, now, isAtPeriodEnd: false })
    await tx.query('update tenants set deleted_at = $2, pending_plan = null, trial_ends_at = null where id = $1', [
      op.tenantId,
      now,
    ])
    await endAccess(tx, op.tenantId, now)
    await projectBilling(tx, op, { limits: input.limits, reason: 'deletion' })
    await recordAudit(tx, op, {
      action: 'tenant.deleted',
      target: op.tenantId,
      payload: { subscriptions: [...ids] },
    })
    if (tenant.email !== null) {
      await enqueueMail(tx, op.db, {
        template: 'tenant_deleted',
        to: tenant.email,
        tenantId: op.tenantId,
        params: { workspace: tenant.name },
        now,
      })
    }
    await requestPoke(tx, op.db, {
      family: 'deletion',
      workflowId: deletionWorkflowId(op.tenantId),
      tenantId: op.tenantId,
      now,
    })
    return now
  })
}

/** Everything that a tenant's people, machines and identity provider could still call with, and what they trusted us with. */
async function endAccess(tx: Transaction, tenantId: string, now: Date): Promise<void> {
  await tx.query('update api_keys set revoked_at = $2 where tenant_id = $1 and revoked_at is null', [tenantId, now])
  await tx.query(
    `update sessions set closed_at = $2 where tenant_id = $1 and closed_at is null
     returning pg_notify('svc_sessions', id)`,
    [tenantId, now],
  )
  await tx.query(`select pg_notify('svc_keys', $1)`, [tenantId])
  await tx.query(
    `update provider_keys set sealed_value = ''::bytea, prefix = '', fingerprint = '', updated_at = $2
     where tenant_id = $1`,
    [tenantId, now],
  )
  await tx.query(
    `update invitations set revoked_at = $2 where tenant_id = $1 and accepted_at is null and revoked_at is null`,
    [tenantId, now],
  )
  await tx.query(
    `update members set state = 'deactivated', deactivated_at = $2, updated_at = $2
     where tenant_id = $1 and state = 'active'`,
    [tenantId, now],
  )
  await tx.query(
    `update sso_configs set is_enabled = false, is_scim_enabled = false, sealed_client_secret = null, updated_at = $2
     where tenant_id = $1`,
    [tenantId, now],
  )
  await tx.query('update share_links set revoked_at = $2 where tenant_id = $1 and revoked_at is null', [tenantId, now])
}
