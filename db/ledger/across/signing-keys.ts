import { sql } from 'kysely'
import { createPublicKey, type KeyObject } from 'node:crypto'
import {
  createSigningKey,
  exportSigningKey,
  openSigningKey,
  type SigningKey,
} from '../../../core/ledger/keys/signing-key.ts'
import type { Database } from '../../kernel/database.ts'
import type { SecretScope } from '../../kernel/secrets/secret-box.ts'
import { service } from '../../kernel/queries/service.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'

/** A public key that verifies signatures of the service. */
export interface VerificationKey {
  readonly kid: string
  readonly publicKey: KeyObject
}

/** The service's signing keys. */
export interface SigningKeys {
  readonly current: SigningKey
  /** All keys that ever signed, newest first. */
  readonly all: readonly VerificationKey[]
}

/** Opens the signing keys; the first process that finds none makes one, under a lock. */
export async function loadSigningKeys(db: Database): Promise<SigningKeys> {
  return await service.write(db, 'the service signs with one key for all tenants', async (tx) => {
    await lockInTransaction(tx, 'signing keys')
    const rows = await tx.q
      .selectFrom('signing_keys')
      .select(['kid', 'public_key_der as der', 'sealed_private_key as sealed', 'retired_at as retiredAt'])
      .orderBy('created_at', 'desc')
      .orderBy('kid')
      .execute()
    const all = rows.map(({ kid, der }) => ({
      kid,
      publicKey: createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' }),
    }))
    const stored = rows.find((row) => row.retiredAt === null)
    if (stored !== undefined) {
      const pem = db.secrets.open(stored.sealed, scopeOf(stored.kid))
      return { current: openSigningKey(Buffer.from(pem).toString()), all }
    }
    const made = createSigningKey()
    await tx.q
      .insertInto('signing_keys')
      .values({
        kid: made.kid,
        public_key_der: made.publicKey.export({ type: 'spki', format: 'der' }),
        sealed_private_key: Buffer.from(db.secrets.seal(Buffer.from(exportSigningKey(made)), scopeOf(made.kid))),
        created_at: sql<Date>`now()`,
      })
      .execute()
    return { current: made, all: [{ kid: made.kid, publicKey: made.publicKey }, ...all] }
  })
}

function scopeOf(kid: string): SecretScope {
  return { owner: 'service', id: kid, purpose: 'signing' }
}
