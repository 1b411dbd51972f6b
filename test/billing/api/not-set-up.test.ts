import { expect } from 'chai'
import { givenApiTenant } from '../../support/api.ts'
import { useBilling } from './use-billing.ts'

describe('events without payments set up', () => {
  const { api } = useBilling({ change: { secretKey: undefined, webhookSecret: undefined, prices: {} } })

  it('answer 503, and so does what would need the processor', async () => {
    const event = await api.call('POST', '/v1/webhooks/stripe', { raw: '{}', headers: { 'stripe-signature': 't=1' } })
    expect([event.status, event.body.code]).to.deep.equal([503, 'billing_not_configured'])
    const tenant = await givenApiTenant(api)
    const call = async (path: string, body?: object) => {
      const { status, body: answer } = await api.call('POST', path, { key: tenant.key, body })
      return [status, answer.code]
    }
    const refused = [503, 'billing_not_configured']
    expect(await call('/v1/billing/checkout', { plan: 'pro' })).to.deep.equal(refused)
    expect(await call('/v1/account/change-plan', { plan: 'pro' })).to.deep.equal(refused)
    expect(await call('/v1/account/billing/portal')).to.deep.equal(refused)
    const ready = await api.call('GET', '/v1/billing/ready', { key: tenant.key })
    expect(ready.body).to.deep.include({ ready: false, secret_key: false, webhook_secret: false, livemode: null })
    expect((await api.call('GET', '/v1/billing/tiers')).body.billing_configured).to.equal(false)
  })
})
