import { insertKey } from '../../../db/keys/insert-key.ts'
import { mintKey } from '../../../db/keys/key-text.ts'
import type { Database } from '../../../db/database.ts'
import { inTransaction } from '../../../db/transaction.ts'

/** A key that was made behind the routes. */
export interface GivenKey {
  readonly key: string
  readonly keyId: string
}

/** Makes a key of a tenant with these scopes and nobody in particular as its holder. */
export async function givenKey(
  db: Database,
  given: { readonly tenantId: string; readonly scopes: readonly string[]; readonly kind?: 'scoped' | 'scim' },
): Promise<GivenKey> {
  const { tenantId, scopes, kind = 'scoped' } = given
  const minted = await mintKey(db.hashSlots, kind === 'scim' ? 'scim' : 'ks')
  const keyId = await inTransaction(db, tenantId, async (tx) =>
    insertKey(tx, { minted, kind, tenantId, memberId: null, scopes, now: new Date() }),
  )
  return { key: minted.apiKey, keyId }
}
