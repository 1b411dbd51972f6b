import { newId } from '../../../../core/kernel/ids.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { tenantOf } from '../../../kernel/operation.ts'
import { insertKey } from '../../keys/insert-key.ts'
import { mintKey, randomSuffix } from '../../keys/key-text.ts'
import { lockEmail } from '../lock-email.ts'
import { slugOf } from '../tenant-name.ts'
import { endAccess } from '../end-access.ts'
import { normalizeEmail } from '../verification/email-address.ts'
import { enqueueVerification, linksOfVerification } from '../verification/verify-email.ts'
import { lockWorkspace, type ClaimedWorkspace } from './lock-workspace.ts'

/**
 * Makes an anonymous workspace a permanent tenant of its own, with a new primary key in place of its token. The address
 * counts as unverified, whether or not another tenant has it: claiming proves nothing about it. The session that claims
 * continues with the new key, so a browser that loses the answer is still signed in. Throws `invalid_token` when the
 * workspace was claimed meanwhile.
 */
export async function upgradeWorkspace(
  db: Database,
  input: {
    readonly workspace: ClaimedWorkspace
    /** The session of the workspace that claims it. */
    readonly sessionId?: string | undefined
    readonly email: string
    readonly name?: string | undefined
    /** Address of the service, when a mail is to verify the address. */
    readonly mailLinksTo: string | undefined
    readonly requestId: string
    readonly limits: Limits
    readonly now: Date
  },
): Promise<{ readonly tenantId: string; readonly apiKey: string }> {
  const { workspace, now } = input
  const { tenantId } = workspace
  const email = normalizeEmail(input.email)
  const minted = await mintKey(db.hashSlots, 'ks')
  const linksTo = await linksOfVerification(db, { ...input, email, kind: 'notice' })
  await tenantOf(db, tenantId).write(async (tx) => {
    await lockEmail(tx, email)
    await lockWorkspace(tx, workspace)
    const name = `${slugOf(input.name, email)}-${randomSuffix()}${randomSuffix()}`
    await tx.q
      .updateTable('tenants')
      .set({ kind: 'user', name, email, is_email_verified: false, quota_override: null, expires_at: null })
      .where('id', '=', tenantId)
      .execute()
    await endAccess(tx, tenantId, now, input.sessionId)
    const memberId = newId('mbr')
    await tx.q
      .insertInto('members')
      .values({
        id: memberId,
        tenant_id: tenantId,
        email,
        role: 'owner',
        state: 'active',
        source: 'signup',
        is_email_verified: false,
        created_at: now,
        updated_at: now,
      })
      .execute()
    const keyId = insertKey(tx, { minted, kind: 'primary', tenantId, memberId, scopes: ['*'], now })
    if (input.sessionId !== undefined) {
      await tx.flush()
      await tx.q
        .updateTable('sessions')
        .set({ source_key_id: keyId, member_id: memberId })
        .where('id', '=', input.sessionId)
        .where('tenant_id', '=', tenantId)
        .where('closed_at', 'is', null)
        .execute()
    }
    if (linksTo !== null) {
      const { limits } = input
      await enqueueVerification(tx, db, { tenant: { id: tenantId, name }, email, linksTo, limits, now })
    }
    const actor = { kind: 'key', keyId: workspace.keyId } as const
    const op = { db, tenantId, actor, requestId: input.requestId, now: () => now }
    await recordAudit(tx, op, { action: 'tenant.upgraded', target: tenantId, payload: { key_id: keyId } })
  })
  return { tenantId, apiKey: minted.apiKey }
}
