import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** The workspace of the presented token. */
export interface ClaimedWorkspace {
  readonly tenantId: string
  readonly keyId: string
}

/** Locks the workspace: of two concurrent claims, one succeeds. Throws `invalid_token` when it was claimed before. */
export async function lockWorkspace(tx: Transaction, { tenantId, keyId }: ClaimedWorkspace): Promise<void> {
  const [locked] = await tx.read((q) =>
    q
      .selectFrom('tenants as t')
      .innerJoin('api_keys as k', 'k.tenant_id', 't.id')
      .select('t.id')
      .where('t.id', '=', tenantId)
      .where('t.kind', '=', 'anonymous')
      .where('t.deleted_at', 'is', null)
      .where('k.id', '=', keyId)
      .where('k.revoked_at', 'is', null)
      .forUpdate('t'),
  )
  if (locked === undefined) {
    throw invalidField('anon_token', 'the workspace has been claimed already', ACCOUNTS_ERRORS.invalid_token)
  }
}
