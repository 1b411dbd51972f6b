import { newId } from '../../../core/kernel/ids.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { ApiKeyEntity, type KeyKind } from './api-key.ts'
import type { MintedKey } from './key-text.ts'

/** A new key to store. */
export interface InsertKeyInput {
  readonly minted: MintedKey
  readonly kind: KeyKind
  readonly tenantId: string
  readonly memberId: string | null
  readonly teamId?: string | null
  readonly scopes: readonly string[]
  readonly label?: string | null
  readonly expiresAt?: Date | null
  readonly now: Date
}

/** Persists a key with the next flush, without its secret text; returns its id. */
export function insertKey(tx: Transaction, input: InsertKeyInput): string {
  const { lookupId, salt, hash, scrypt } = input.minted
  const id = newId('key')
  tx.em.create(ApiKeyEntity, {
    id,
    tenantId: input.tenantId,
    kind: input.kind,
    memberId: input.memberId,
    teamId: input.teamId ?? null,
    lookupId,
    salt: Buffer.from(salt),
    hash: Buffer.from(hash),
    scrypt,
    scopes: input.scopes,
    label: input.label ?? null,
    createdAt: input.now,
    expiresAt: input.expiresAt ?? null,
  })
  return id
}
