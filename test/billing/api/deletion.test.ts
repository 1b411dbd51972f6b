import { expect } from 'chai'
import { expectAudited } from '../../support/db/audit.ts'
import { givenApiTenant } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { checkoutObject, eventOf } from '../../support/stripe/objects.ts'
import { nowS, useBilling } from './use-billing.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('deletion of an account', () => {
  const { api, deliver } = useBilling()
  const db = () => api.server.services.db
  const nameOf = async (key: string): Promise<string> => (await api.call('GET', '/v1/account', { key })).body.name

  it('deletion needs the exact confirmation', async () => {
    const tenant = await givenApiTenant(api)
    const name = await nameOf(tenant.key)
    const wrong = [
      'yes',
      `DELETE  ${name}`,
      `delete ${name}`,
      `DELETE ${name} `,
      `DELETE ${name.toUpperCase()}`,
      'DELETE ',
    ]
    for (const confirm of wrong) {
      const { status, body } = await api.call('POST', '/v1/account/delete', { key: tenant.key, body: { confirm } })
      expect([status, body.code], confirm).to.deep.equal([400, 'confirm_mismatch'])
    }
    expect((await api.call('POST', '/v1/account/delete', { key: tenant.key, body: {} })).status).to.equal(400)
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(200)
  })

  it('ends keys and sessions at once, clears the cookie, and writes down what there was to clear up', async () => {
    const tenant = await givenApiTenant(api)
    const signedIn = await api.call('POST', '/v1/signin', { body: { api_key: tenant.key } })
    const [cookie = ''] = signedIn.headers.getSetCookie()
    const confirm = `DELETE ${await nameOf(tenant.key)}`
    const deleted = await api.call('POST', '/v1/account/delete', { key: tenant.key, body: { confirm } })
    expect(deleted.status, deleted.text).to.equal(200)
    expect(Date.parse(deleted.body.deleted_at)).to.be.closeTo(Date.now(), 60_000)
    expect(deleted.headers.getSetCookie().join()).to.include('Max-Age=0')
    expect((await api.call('GET', '/v1/account', { key: tenant.key })).status).to.equal(401)
    const bySession = await api.call('GET', '/v1/account', { headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(bySession.status).to.equal(401)
    expect((await api.call('POST', '/v1/signin', { body: { api_key: tenant.key } })).status).to.equal(401)
    await expectAudited(setUpOperation(db(), tenant.id), 'tenant.deleted', tenant.id)
    const [left] = await sendSql<Record<string, number>>(
      db(),
      `select (select count(*) from api_keys where tenant_id = $1 and revoked_at is null) as keys,
         (select count(*) from sessions where tenant_id = $1 and closed_at is null) as sessions,
         (select count(*) from members where tenant_id = $1 and state = 'active') as members,
         (select count(*) from outbox where workflow_id = $1 || '/deletion') as wakes,
         (select count(*) from mails where tenant_id = $1 and template = 'tenant_deleted') as mails`,
      [tenant.id],
    )
    expect(left).to.deep.equal({ keys: 0, sessions: 0, members: 0, wakes: 1, mails: 1 })
  })

  it('ends a plan that is paid after it', async () => {
    const tenant = await givenApiTenant(api)
    const confirm = `DELETE ${await nameOf(tenant.key)}`
    await api.call('POST', '/v1/account/delete', { key: tenant.key, body: { confirm } })
    const bought = checkoutObject({
      id: 'cs_late',
      tenantId: tenant.id,
      customerId: 'cus_late',
      subscriptionId: 'sub_late',
      plan: 'pro',
      created: nowS() - 60,
    })
    await deliver(eventOf('evt_late', 'checkout.session.completed', nowS(), bought))
    const rows = await sendSql<{ plan: string; endsAt: Date | null }>(
      db(),
      `select t.plan, s.ends_at as "endsAt" from tenants t join subscriptions s on s.tenant_id = t.id where t.id = $1`,
      [tenant.id],
    )
    expect(rows[0]?.plan).to.equal('free')
    expect(rows[0]?.endsAt).to.be.an.instanceOf(Date)
  })

  it('is not for keys that may not', async () => {
    const tenant = await givenApiTenant(api)
    const minted = await api.call('POST', '/v1/account/scoped-keys', {
      key: tenant.key,
      body: { scopes: ['capture:read', 'account:write'] },
    })
    expect(minted.status, minted.text).to.be.oneOf([200, 201])
    const confirm = `DELETE ${await nameOf(tenant.key)}`
    const refused = await api.call('POST', '/v1/account/delete', { key: minted.body.api_key, body: { confirm } })
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'insufficient_scope'])
  })
})
