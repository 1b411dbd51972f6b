import { expect } from 'chai'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { ADMIN_KEY, givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { givenPaying } from './given-paying.ts'
import { useBilling } from './use-billing.ts'

describe('a plan that an administrator gives', () => {
  const billing = useBilling()
  const { api, deliver } = billing
  const grant = async (tenantId: string, plan: string | null, headers: object = { 'x-admin-key': ADMIN_KEY }) =>
    await api.call('PUT', `/v1/admin/tenants/${tenantId}/plan`, { headers: { ...headers }, body: { plan } })
  const as = ({ key }: ApiTenant) => ({
    plan: async (): Promise<string> => (await api.call('GET', '/v1/account', { key })).body.plan,
    post: async (path: string, body?: object) => await api.call('POST', path, { key, body }),
  })

  it('is in force at once, and stays whatever the payment processor tells', async () => {
    const tenant = await givenPaying(billing)
    const given = await grant(tenant.id, 'teams')
    expect(given.status, given.text).to.equal(200)
    expect(given.body).to.deep.include({ tenant_id: tenant.id, granted_plan: 'teams', plan: 'teams' })
    expect(await as(tenant).plan()).to.equal('teams')
    const { body: account } = await api.call('GET', '/v1/account', { key: tenant.key })
    expect(account).to.include({ quota: 1_000_000, seats: 5 })
    const { body: view } = await api.call('GET', '/v1/account/billing', { key: tenant.key })
    expect(view).to.include({ granted_plan: 'teams', billing_status: 'active' })
    await deliver(tenant.subscriptionEvent('customer.subscription.updated', {}))
    expect(await as(tenant).plan()).to.equal('teams')
    await deliver(tenant.subscriptionEvent('customer.subscription.deleted', { status: 'canceled' }))
    expect(await as(tenant).plan()).to.equal('teams')
    expect((await grant(tenant.id, null)).body).to.deep.include({ granted_plan: null, plan: 'free' })
    const { items } = await listAudit(setUpOperation(api.server.services.db, tenant.id), { limit: 100 })
    const lines = items.filter(({ action }) => action === 'billing.plan_granted')
    expect(lines.map(({ payload }) => payload).toReversed()).to.deep.equal([
      { from: null, to: 'teams' },
      { from: 'teams', to: null },
    ])
  })

  it('goes behind a higher one that is paid for', async () => {
    const tenant = await givenPaying(billing, 'teams')
    expect((await grant(tenant.id, 'starter')).body).to.include({ granted_plan: 'starter', plan: 'teams' })
    await deliver(tenant.subscriptionEvent('customer.subscription.deleted', { status: 'canceled' }))
    expect(await as(tenant).plan()).to.equal('starter')
  })

  it('is given up by a tenant that goes down to the free plan, or cancels', async () => {
    const tenant = await givenApiTenant(api)
    await grant(tenant.id, 'pro')
    const { body } = await as(tenant).post('/v1/account/change-plan', { plan: 'free' })
    expect(body.tenant.plan).to.equal('free')
    await grant(tenant.id, 'pro')
    await as(tenant).post('/v1/account/cancel')
    expect(await as(tenant).plan()).to.equal('free')
  })

  it('is for administrators to give, to tenants that are there', async () => {
    const tenant = await givenApiTenant(api)
    const refused = async (...call: Parameters<typeof grant>) => {
      const { status, body } = await grant(...call)
      return [status, body.code]
    }
    expect(await refused(tenant.id, 'pro', { 'x-api-key': tenant.key })).to.deep.equal([403, 'admin_only'])
    expect(await refused(tenant.id, 'platinum')).to.deep.equal([400, 'unknown_plan'])
    expect(await refused('ten_nobody', 'pro')).to.deep.equal([404, 'not_found'])
    const { body } = await api.call('GET', '/v1/account', { key: tenant.key })
    await as(tenant).post('/v1/account/delete', { confirm: `DELETE ${body.name}` })
    expect(await refused(tenant.id, 'pro')).to.deep.equal([404, 'not_found'])
  })
})
