import { expect } from 'chai'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('the age of the primary key', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('is that of the key and not of the tenant: a new key is young', async () => {
    const { id, key } = await givenApiTenant(api)
    const longAgo = `now() - interval '200 days'`
    await sendSql(database.db, `update tenants set created_at = ${longAgo} where id = $1`, [id])
    await sendSql(database.db, `update api_keys set created_at = ${longAgo} where tenant_id = $1`, [id])
    const state = async (of: string) => (await api.call('GET', '/v1/account/state', { key: of })).body
    const kinds = (signals: readonly { readonly kind: string }[]) => signals.map(({ kind }) => kind)
    const before = await state(key)
    expect(before.key_age_days).to.equal(200)
    expect(kinds(before.signals)).to.include('rotate_key')
    const rotated = await api.call('POST', '/v1/account/rotate-key', { key })
    const after = await state(rotated.body.api_key)
    expect(after.key_age_days).to.equal(0)
    expect(kinds(after.signals)).to.not.include('rotate_key')
  })
})
