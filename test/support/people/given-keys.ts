import { insertKey } from '../../../db/accounts/keys/insert-key.ts'
import { mintKey } from '../../../db/accounts/keys/key-text.ts'
import type { Database } from '../../../db/kernel/database.ts'
import type { TestApi } from '../api.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'

/** A key that was made behind the routes. */
export interface GivenKey {
  readonly key: string
  readonly keyId: string
}

/** Makes a key of a tenant with these scopes, which belongs to no member. */
export async function givenKey(
  db: Database,
  given: { readonly tenantId: string; readonly scopes: readonly string[]; readonly kind?: 'scoped' | 'scim' },
): Promise<GivenKey> {
  const { tenantId, scopes, kind = 'scoped' } = given
  const minted = await mintKey(db.hashSlots, kind === 'scim' ? 'scim' : 'ks')
  const keyId = await tenantOf(db, tenantId).write(async (tx) =>
    insertKey(tx, { minted, kind, tenantId, memberId: null, scopes, now: new Date() }),
  )
  return { key: minted.apiKey, keyId }
}

/** Signs in with a key; the headers of the browser. */
export async function browserOf(api: Pick<TestApi, 'call'>, key: string): Promise<Readonly<Record<string, string>>> {
  const answer = await api.call('POST', '/v1/session/login', { body: { api_key: key } })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { cookie, 'sec-fetch-site': 'same-origin' }
}

/** Makes a scoped key by its route; its text and id. */
export async function givenScopedKey(
  api: Pick<TestApi, 'call'>,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<{ readonly key: string; readonly id: string }> {
  const answer = await api.call('POST', '/v1/account/scoped-keys', { key, body })
  if (answer.status !== 200) throw new Error(answer.text)
  return { key: answer.body.api_key, id: answer.body.id }
}
