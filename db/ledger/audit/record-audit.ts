import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { describeActor, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { settleLedger } from './chain/settle.ts'
import { insertWaiting } from './chain/wait-for-chain.ts'

/** Everything that a verb may write into a ledger, `resource.verb`. A test sees that each of them is written. */
export const AUDIT_ACTIONS = [
  'tenant.created',
  'session.opened',
  'session.closed',
  'api_key.revoked',
  'receipt_secret.rotated',
  'receipt_secret.pruned',
  'compile.created',
  'compile.completed',
  'compile.gated',
  'compile.failed',
  'compile.cancelled',
  'artifact.downloaded',
  'export.created',
  'export.succeeded',
  'export.failed',
  'export.downloaded',
  'concept.deleted',
  'email.verified',
  'email.verification_requested',
  'tenant.recovered',
  'tenant.upgraded',
  'tenant.merged',
  'tenant.deleted',
  'tenant.purged',
  'identity.linked',
  'identity.unlinked',
  'session.revoked',
  'api_key.minted',
  'api_key.rotated',
  'provider_key.stored',
  'provider_key.deleted',
  'master_key.rotated',
  'settings.updated',
  'next_action.snoozed',
  'account.exported',
  'compliance_package.created',
  'audit.pruned',
  'billing.plan_changed',
  'billing.checkout_started',
  'billing.cancel_requested',
  'billing.tax_updated',
  'billing.payment_event',
  'billing.dunning_opened',
  'billing.dunning_suspended',
  'billing.dunning_recovered',
  'billing.refund_requested',
  'billing.refunded',
  'billing.refund_failed',
  'billing.plan_granted',
  'billing.cancel_taken_back',
  'billing.tax_refused',
  'team.created',
  'team.updated',
  'team.deleted',
  'team.member_added',
  'team.member_role_changed',
  'team.member_removed',
  'invitation.created',
  'invitation.revoked',
  'invitation.accepted',
  'member.added',
  'member.role_changed',
  'member.deactivated',
  'member.reactivated',
  'org.updated',
  'org.owner_transferred',
  'identity.configured',
  'scim_token.rotated',
  'saml.assertion_consumed',
  'oidc.login',
  'scim.user_created',
  'scim.user_updated',
  'scim.user_deleted',
  'scim.group_created',
  'scim.group_updated',
  'scim.group_deleted',
  'control.event_received',
  'control.manifest_validated',
  'control.export_declared',
  'share_link.created',
  'share_link.revoked',
  'admin.action',
] as const
/** One of them. */
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** What an operation did, for the tenant's ledger. No secret, no content: ids and figures. */
export interface NewAuditEntry {
  readonly action: AuditAction
  /** Id of what it was done to. */
  readonly target?: string
  readonly payload: JsonObject
}

/**
 * Writes a line into the tenant's audit ledger, in the transaction of the change itself: both are committed or neither
 * is. The line waits under a MAC of its own and gets its place in the tenant's chain right after the commit, together
 * with those of other transactions; no lock is held for it. What was persisted before reaches the database first.
 */
export async function recordAudit(
  tx: Transaction,
  op: Pick<Operation, 'db' | 'tenantId' | 'actor' | 'requestId' | 'now'>,
  entry: NewAuditEntry,
): Promise<void> {
  await tx.em.flush()
  await insertWaiting(tx, op.db, {
    id: newId('aud'),
    tenantId: op.tenantId,
    at: op.now(),
    actor: describeActor(op.actor),
    action: entry.action,
    target: entry.target ?? null,
    requestId: op.requestId,
    payload: entry.payload,
  })
  const { db, tenantId, now } = op
  if (isFirstLine(tx, tenantId)) tx.afterCommit(async () => await settleLedger(db, { tenantId, now: () => now() }))
}

const tenantsOf = new WeakMap<Transaction, Set<string>>()

/** True once for a transaction and a tenant: all lines of a transaction are chained together. */
function isFirstLine(tx: Transaction, tenantId: string): boolean {
  const tenants = tenantsOf.get(tx) ?? new Set<string>()
  tenantsOf.set(tx, tenants)
  const isFirst = !tenants.has(tenantId)
  tenants.add(tenantId)
  return isFirst
}
