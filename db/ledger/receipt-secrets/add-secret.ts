import { randomBytes } from 'node:crypto'
import { newId } from '../../../core/kernel/ids.ts'
import type { SecretBox, SecretScope } from '../../kernel/secrets/secret-box.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { ReceiptSecretEntity } from './receipt-secret.ts'

const SECRET_BYTES = 32

/** Persists a new current secret of a tenant, with the next flush; returns its id. */
export function addReceiptSecret(
  tx: Transaction,
  input: { readonly secrets: SecretBox; readonly tenantId: string; readonly now: Date },
): string {
  const id = newId('rsk')
  const sealed = input.secrets.seal(randomBytes(SECRET_BYTES), receiptScope(input.tenantId, id))
  tx.em.create(ReceiptSecretEntity, {
    id,
    tenantId: input.tenantId,
    state: 'current',
    sealedSecret: Buffer.from(sealed),
    createdAt: input.now,
  })
  return id
}

/** Returns the associated data of a receipt secret's seal. */
export function receiptScope(tenantId: string, id: string): SecretScope {
  return { owner: tenantId, id, purpose: 'receipt' }
}
