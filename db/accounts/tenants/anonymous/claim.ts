import { z } from 'zod'
import { invalidField, type DomainError } from '../../../../core/kernel/errors.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { insertKey } from '../../keys/insert-key.ts'
import { mintKey, randomSuffix } from '../../keys/key-text.ts'
import { consumeMailToken } from '../../mails/mail-tokens.ts'
import { ACCESS, type Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { inTransaction, type Transaction } from '../../../kernel/transaction.ts'
import { normalizeClaimCode } from './claim-codes.ts'
import { lockEmail, slugOf } from '../create-tenant.ts'
import { normalizeEmail } from '../verification/email-address.ts'
import { endAccess } from '../end-access.ts'
import { enqueueVerification, linksOfVerification } from '../verification/verify-email.ts'

/** The workspace whose token the caller has shown. */
export interface ClaimedWorkspace {
  readonly tenantId: string
  readonly keyId: string
}

/**
 * Makes an anonymous workspace a permanent tenant of its own, with a new primary key in place of its token. The address
 * counts as unverified, whether or not another tenant has it: claiming proves nothing about it. Throws `invalid_token`
 * when the workspace was claimed meanwhile.
 */
export async function upgradeWorkspace(
  db: Database,
  input: {
    readonly workspace: ClaimedWorkspace
    readonly email: string
    readonly name?: string | undefined
    /** Address of the service, when a mail is to ask whether the address is theirs. */
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
  await inTransaction(db, tenantId, async (tx) => {
    await lockEmail(tx, email)
    await lockWorkspace(tx, workspace)
    const name = `${slugOf(input.name, email)}-${randomSuffix()}${randomSuffix()}`
    await tx.query(
      `update tenants set kind = 'user', name = $2, email = $3, is_email_verified = false, quota_override = null,
         expires_at = null where id = $1`,
      [tenantId, name, email],
    )
    await endAccess(tx, tenantId, now)
    const memberId = newId('mbr')
    await tx.query(
      `insert into members (id, tenant_id, email, role, state, source, is_email_verified, created_at, updated_at)
       values ($1, $2, $3, 'owner', 'active', 'signup', false, $4, $4)`,
      [memberId, tenantId, email, now],
    )
    const keyId = insertKey(tx, { minted, kind: 'primary', tenantId, memberId, scopes: ['*'], now })
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

/** Moves the rows of a locked workspace to the operation's tenant, in the caller's transaction. */
export type MergeTenant = (tx: Transaction, op: Operation, input: { readonly sourceTenantId: string }) => Promise<void>

/**
 * Merges an anonymous workspace into the operation's tenant, which the caller has proved to be theirs by its key or
 * session. Throws `jobs_running`, and `invalid_token` when the workspace was claimed meanwhile.
 */
export async function mergeWorkspace(
  op: Operation,
  input: { readonly workspace: ClaimedWorkspace; readonly merge: MergeTenant },
): Promise<void> {
  await service.write(op.db, 'a merge moves the rows of the workspace to the tenant', async (tx) => {
    await lockWorkspace(tx, input.workspace)
    await input.merge(tx, op, { sourceTenantId: input.workspace.tenantId })
  })
}

const CodePayload = z.object({ workspace_id: z.string() })

/**
 * Merges an anonymous workspace into the tenant whose mail held the code; answers that tenant. Throws `invalid_token`
 * and `token_expired` for a code that is not for this workspace and address, and `jobs_running`.
 */
export async function mergeByCode(
  db: Database,
  input: {
    readonly workspace: ClaimedWorkspace
    readonly email: string
    readonly code: string
    readonly merge: MergeTenant
    readonly requestId: string
    readonly now: () => Date
  },
): Promise<{ readonly tenantId: string }> {
  const { workspace, now, requestId } = input
  const email = normalizeEmail(input.email)
  return await inTransaction(db, null, async (tx) => {
    await lockWorkspace(tx, workspace)
    const token = await consumeMailToken(tx, normalizeClaimCode(input.code), now())
    const { workspace_id: workspaceId } = CodePayload.catch({ workspace_id: '' }).parse(token.payload)
    const isRight = token.purpose === 'claim' && token.email === email && workspaceId === workspace.tenantId
    if (!isRight || token.tenantId === null) throw wrongCode()
    const { tenantId } = token
    const [target] = await tx.query(
      'select 1 from tenants where id = $1 and email = $2 and is_email_verified and deleted_at is null for share',
      [tenantId, email],
    )
    if (target === undefined) throw wrongCode()
    const actor = { kind: 'key', keyId: workspace.keyId } as const
    await input.merge(
      tx,
      { ...ACCESS, db, tenantId, actor, scopes: null, requestId, now },
      { sourceTenantId: workspace.tenantId },
    )
    return { tenantId }
  })
}

/** Of two who claim a workspace at once, one gets it. */
async function lockWorkspace(tx: Transaction, { tenantId, keyId }: ClaimedWorkspace): Promise<void> {
  const locked = await tx.query(
    `select 1 from tenants t join api_keys k on k.tenant_id = t.id
     where t.id = $1 and t.kind = 'anonymous' and t.deleted_at is null and k.id = $2 and k.revoked_at is null
     for update of t`,
    [tenantId, keyId],
  )
  if (locked.length === 0) {
    throw invalidField('anon_token', 'the workspace has been claimed already', 'invalid_token')
  }
}

function wrongCode(): DomainError {
  return invalidField('code', 'is not the code for this workspace and address', 'invalid_token')
}
