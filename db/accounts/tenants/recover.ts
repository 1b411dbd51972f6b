import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { insertKey } from '../keys/insert-key.ts'
import type { MintedKey } from '../keys/key-text.ts'
import type { UsedMailToken } from '../mails/mail-tokens.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { lockEmail } from './lock-email.ts'
import { endAccess } from './end-access.ts'
import { lockDoors } from './lock-doors.ts'
import { markVerified } from './verification/verify-email.ts'

/** The credentials of a recovered tenant. */
export interface Recovered {
  readonly memberId: string
  readonly keyId: string
}

/**
 * Gives a tenant to the reader of its mail: every key and session ends on every process at once, a new primary key is
 * made, and the address counts as verified. An unverified tenant may have been made by another person, so every other
 * way in ends too: other members, invitations, sign-in through other providers.
 */
export async function recoverTenant(
  tx: Transaction,
  op: Operation,
  input: { readonly token: UsedMailToken; readonly minted: MintedKey },
): Promise<Recovered> {
  const { email } = input.token
  const now = op.now()
  await lockEmail(tx, email)
  const [tenant] = await tx.read((q) =>
    q
      .selectFrom('tenants')
      .select('is_email_verified as isVerified')
      .where('id', '=', op.tenantId)
      .where('email', '=', email)
      .where('deleted_at', 'is', null)
      .forNoKeyUpdate(),
  )
  if (tenant === undefined)
    throw ACCOUNTS_ERRORS.invalid_token('the e-mail address of the account has changed; request a new link')
  await lockDoors(tx, op.tenantId)
  const { keys, sessions } = await endAccess(tx, op.tenantId, now)
  if (!tenant.isVerified) await endOtherWaysIn(tx, op, email)
  await markVerified(tx, op, input.token)
  const owner = await tx.q
    .insertInto('members')
    .values({
      id: newId('mbr'),
      tenant_id: op.tenantId,
      email,
      role: 'owner',
      state: 'active',
      source: 'signup',
      is_email_verified: true,
      created_at: now,
      updated_at: now,
    })
    .onConflict((on) =>
      on.columns(['tenant_id', 'email']).doUpdateSet({
        role: 'owner',
        state: 'active',
        is_email_verified: true,
        deactivated_at: null,
        updated_at: now,
      }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
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
    payload: { member_id: owner.id, key_id: keyId, keys_revoked: keys, sessions_closed: sessions },
  })
  return { memberId: owner.id, keyId }
}

async function endOtherWaysIn(tx: Transaction, op: Operation, email: string): Promise<void> {
  const { tenantId } = op
  const now = op.now()
  await tx.q
    .updateTable('members')
    .set({ state: 'deactivated', deactivated_at: now, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .where('email', '!=', email)
    .where('state', '=', 'active')
    .execute()
  await tx.q
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('tenant_id', '=', tenantId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute()
  await tx.q.deleteFrom('external_identities').where('tenant_id', '=', tenantId).execute()
  await tx.q
    .updateTable('sso_configs')
    .set({ is_enabled: false, is_scim_enabled: false, updated_at: now })
    .where('tenant_id', '=', tenantId)
    .execute()
}
