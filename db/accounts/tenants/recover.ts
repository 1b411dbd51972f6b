import { DomainError } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { insertKey } from '../keys/insert-key.ts'
import type { MintedKey } from '../keys/key-text.ts'
import type { UsedMailToken } from '../mails/mail-tokens.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { lockEmail } from './create-tenant.ts'
import { endAccess } from './end-access.ts'
import { lockDoors } from './lock-doors.ts'
import { markVerified } from './verification/verify-email.ts'

/** What a recovered tenant is left with. */
export interface Recovered {
  readonly memberId: string
  readonly keyId: string
}

/**
 * Gives a tenant to whoever reads its mail: every key and session ends on every process at once, a new primary key is
 * made, and the address counts as verified. Where nobody had verified it, its maker may have been somebody else, so
 * everything else that lets people in ends too: other members, invitations, sign-in through other providers.
 */
export async function recoverTenant(
  tx: Transaction,
  op: Operation,
  input: { readonly token: UsedMailToken; readonly minted: MintedKey },
): Promise<Recovered> {
  const { email } = input.token
  const now = op.now()
  await lockEmail(tx, email)
  const [tenant] = await tx.query<{ isVerified: boolean }>(
    `select is_email_verified as "isVerified" from tenants
     where id = $1 and email = $2 and deleted_at is null for no key update`,
    [op.tenantId, email],
  )
  if (tenant === undefined) throw new DomainError('invalid_token', 'the account has another address by now')
  await lockDoors(tx, op.tenantId)
  const { keys, sessions } = await endAccess(tx, op.tenantId, now)
  if (!tenant.isVerified) await endOtherWaysIn(tx, op, email)
  await markVerified(tx, op, input.token)
  const [owner] = await tx.query<{ id: string }>(
    `insert into members (id, tenant_id, email, role, state, source, is_email_verified, created_at, updated_at)
     values ($4, $1, $2, 'owner', 'active', 'signup', true, $3, $3)
     on conflict (tenant_id, email) do update
     set role = 'owner', state = 'active', is_email_verified = true, deactivated_at = null, updated_at = $3
     returning id`,
    [op.tenantId, email, now, newId('mbr')],
  )
  if (owner === undefined) throw new Error('a recovered tenant has no owner')
  const keyId = insertKey(tx, {
    minted: input.minted,
    kind: 'primary',
    tenantId: op.tenantId,
    memberId: owner.id,
    scopes: ['*'],
    now,
  })
  await recordAudit(tx, op, {
    action: 'tenant.recovered',
    target: op.tenantId,
    payload: { key_id: keyId, keys_revoked: keys, sessions_closed: sessions },
  })
  return { memberId: owner.id, keyId }
}

async function endOtherWaysIn(tx: Transaction, op: Operation, email: string): Promise<void> {
  const { tenantId } = op
  await tx.query(
    `update members set state = 'deactivated', deactivated_at = $3, updated_at = $3
     where tenant_id = $1 and email <> $2 and state = 'active'`,
    [tenantId, email, op.now()],
  )
  await tx.query(
    `update invitations set revoked_at = $2 where tenant_id = $1 and accepted_at is null and revoked_at is null`,
    [tenantId, op.now()],
  )
  await tx.query('delete from external_identities where tenant_id = $1', [tenantId])
  await tx.query(
    'update sso_configs set is_enabled = false, is_scim_enabled = false, updated_at = $2 where tenant_id = $1',
    [tenantId, op.now()],
  )
}
