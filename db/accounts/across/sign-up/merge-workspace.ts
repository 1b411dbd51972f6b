import { z } from 'zod'
import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import { invalidField, type DomainError } from '../../../../core/kernel/errors.ts'
import type { Database } from '../../../kernel/database.ts'
import { ACCESS, type Operation } from '../../../kernel/operation.ts'
import { service, type ServiceTransaction } from '../../../kernel/queries/service.ts'
import { consumeMailToken } from '../../mails/mail-tokens.ts'
import { lockWorkspace, type ClaimedWorkspace } from '../../tenants/anonymous/lock-workspace.ts'
import { normalizeEmail } from '../../tenants/verification/email-address.ts'
import { normalizeClaimCode } from './claim-codes.ts'

const WHY = 'a merge moves the rows of the workspace to the tenant'

/** Moves the rows of a locked workspace to the operation's tenant, in the caller's transaction. */
export type MergeTenant = (
  tx: ServiceTransaction,
  op: Operation,
  input: { readonly sourceTenantId: string },
) => Promise<void>

/**
 * Merges an anonymous workspace into the operation's tenant, which the caller has proved to own by its key or session.
 * Throws `jobs_running`, and `invalid_token` when the workspace was claimed meanwhile.
 */
export async function mergeWorkspace(
  op: Operation,
  input: { readonly workspace: ClaimedWorkspace; readonly merge: MergeTenant },
): Promise<void> {
  await service.write(op.db, WHY, async (tx) => {
    await lockWorkspace(tx, input.workspace)
    await input.merge(tx, op, { sourceTenantId: input.workspace.tenantId })
  })
}

const CodePayload = z.object({ workspace_id: z.string() })

/**
 * Merges an anonymous workspace into the tenant that received the code by mail; returns that tenant. Throws
 * `invalid_token` and `token_expired` for a code that is not for this workspace and address, and `jobs_running`.
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
  return await service.write(db, WHY, async (tx) => {
    await lockWorkspace(tx, workspace)
    const token = await consumeMailToken(tx, normalizeClaimCode(input.code), now())
    const { workspace_id: workspaceId } = CodePayload.catch({ workspace_id: '' }).parse(token.payload)
    const isRight = token.purpose === 'claim' && token.email === email && workspaceId === workspace.tenantId
    if (!isRight || token.tenantId === null) throw wrongCode()
    const { tenantId } = token
    const [target] = await tx.read((q) =>
      q
        .selectFrom('tenants')
        .select('id')
        .where('id', '=', tenantId)
        .where('email', '=', email)
        .where('is_email_verified', '=', true)
        .where('deleted_at', 'is', null)
        .forShare(),
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

function wrongCode(): DomainError {
  return invalidField('code', 'is not the code for this workspace and address', ACCOUNTS_ERRORS.invalid_token)
}
