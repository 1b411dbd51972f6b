import { expect } from 'chai'
import { deactivateMember } from '../../../db/members/deactivate-member.ts'
import { findTenant } from '../../../db/tenants/find-tenant.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant, type CallOptions } from '../../support/api.ts'
import { givenKey } from '../../support/people/given-keys.ts'
import { givenMember, givenPlan, givenSession, setUpOperation } from '../../support/people/given-members.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

describe('what was ended on one API process', () => {
  const database = useDatabase({ poolSize: 4 })
  const stores = () => ({ database, temporal: NO_TEMPORAL })
  const first = useApi({ stores })
  const second = useApi({ stores })
  let tenant: ApiTenant
  beforeEach(async () => {
    tenant = await givenApiTenant(first)
    await givenPlan(database.db, tenant.id, 'teams')
  })

  /** Warms the cache of the second process, ends the credential through the first one, and waits until both refuse it. */
  const endsEverywhere = async (credential: CallOptions, end: () => Promise<unknown>) => {
    const status = async (api: typeof first) => (await api.call('GET', '/v1/account', credential)).status
    expect([await status(first), await status(second)]).to.deep.equal([200, 200])
    await end()
    while ((await status(first)) !== 401 || (await status(second)) !== 401) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  it('ends on the other: a key', async () => {
    const { key, keyId } = await givenKey(database.db, { tenantId: tenant.id, scopes: ['account:read'] })
    await endsEverywhere({ key }, async () => {
      const answer = await first.call('DELETE', `/v1/account/scoped-keys/${keyId}`, { key: tenant.key })
      expect(answer.status).to.equal(200)
      expect((await first.call('GET', '/v1/account', { key })).status).to.equal(401)
    })
  })

  it('ends on the other: the primary key and the sessions that it opened', async () => {
    const signedIn = await first.call('POST', '/v1/signin', { body: { api_key: tenant.key } })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const browser = { headers: { cookie, 'sec-fetch-site': 'same-origin' } }
    await endsEverywhere({ key: tenant.key }, async () => {
      expect((await second.call('GET', '/v1/account', browser)).status).to.equal(200)
      await first.call('POST', '/v1/account/rotate-key', { key: tenant.key })
    })
    while ((await second.call('GET', '/v1/account', browser)).status !== 401) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

  it('ends on the other: a session', async () => {
    const member = await givenMember(setUpOperation(database.db, tenant.id), { role: 'viewer' })
    const { headers } = await givenSession(database.db, member)
    await endsEverywhere({ headers }, async () => await first.call('POST', '/v1/session/logout', { headers }))
  })

  it('ends on the other: whatever a member had', async () => {
    const op = setUpOperation(database.db, tenant.id)
    const member = await givenMember(op, { role: 'admin' })
    const { headers } = await givenSession(database.db, member)
    const minted = await first.call('POST', '/v1/account/scoped-keys', { headers, body: { scopes: ['account:read'] } })
    const key: string = minted.body.api_key
    expect((await second.call('GET', '/v1/account', { key })).status).to.equal(200)
    await endsEverywhere({ headers }, async () => {
      await inTransaction(database.db, tenant.id, async (tx) => await deactivateMember(tx, op, member.id))
    })
    await endsNow(async () => (await second.call('GET', '/v1/account', { key })).status)
  })

  it('ends on the other: a tenant', async () => {
    const found = await findTenant(database.db, tenant.id)
    await endsEverywhere({ key: tenant.key }, async () => {
      const answer = await first.call('POST', '/v1/account/delete', {
        key: tenant.key,
        body: { confirm: `DELETE ${found?.name}` },
      })
      expect(answer.status, answer.text).to.equal(200)
    })
  })
})

/** Waits until a call is refused. */
async function endsNow(status: () => Promise<number>): Promise<void> {
  while ((await status()) !== 401) await new Promise((resolve) => setTimeout(resolve, 10))
}
