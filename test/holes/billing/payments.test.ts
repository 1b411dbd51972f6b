import { expect } from 'chai'
import { nowS, useBilling } from '../../billing/api/use-billing.ts'
import { fresh, givenPaying } from '../../billing/api/given-paying.ts'
import { givenApiTenant, NO_TEMPORAL, type ApiTenant } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'
import { openGate, type Gate } from '../../support/stack/gate.ts'
import { checkoutObject, eventOf, invoiceObject } from '../../support/stripe/objects.ts'

describe('an event of the payment processor', () => {
  const database = useDatabase()
  let gate: Gate
  before(async () => {
    gate = await openGate(database.url)
  })
  const billing = useBilling({
    stores: () => ({ database: { url: gate.url, masterKey: database.masterKey }, temporal: NO_TEMPORAL }),
  })
  after(async () => await gate.shut())
  const { api, deliver } = billing
  const billingOf = async ({ key }: ApiTenant) => (await api.call('GET', '/v1/account/billing', { key })).body

  it('is asked for again while it cannot be kept, and has its effect then, once', async () => {
    const tenant = await givenApiTenant(api)
    const bought = checkoutObject({
      id: fresh('cs'),
      tenantId: tenant.id,
      customerId: fresh('cus'),
      subscriptionId: fresh('sub'),
      plan: 'pro',
      created: nowS() - 60,
    })
    const event = eventOf(fresh('evt'), 'checkout.session.completed', nowS() - 50, bought)
    await gate.shut()
    const refused = await deliver(event)
    await gate.open()
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'store_unavailable'])
    expect(refused.headers.get('retry-after')).to.be.a('string')
    const taken = await deliver(event)
    expect(taken.body, taken.text).to.include({ idempotent: false, outcome: 'applied' })
    expect((await deliver(event)).body).to.include({ idempotent: true })
    expect((await billingOf(tenant)).plan.id).to.equal('pro')
  })

  it('of one payment by two events makes one line of the ledger', async () => {
    const tenant = await givenPaying(billing)
    const created = nowS() - 30
    const invoice = invoiceObject({ ...tenant, tenantId: tenant.id, id: fresh('in'), created })
    for (const type of [
      'invoice.paid',
      'invoice.payment_succeeded',
      'invoice.payment_succeeded',
      'invoice.paid',
    ] as const) {
      expect((await deliver(eventOf(fresh('evt'), type, created, invoice))).status).to.equal(200)
    }
    const listed = await api.call('GET', '/v1/account/invoices', { key: tenant.key })
    const lines = listed.body.invoices.filter(({ number }: { number: string }) => number === invoice['number'])
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ amount_paid_cents: 4900, kind: 'invoice' })
  })

  it('never gives a plan that was requested and not paid', async () => {
    const tenant = await givenApiTenant(api)
    const wished = await api.call('POST', '/v1/account/change-plan', { key: tenant.key, body: { plan: 'enterprise' } })
    expect(wished.body, wished.text).to.deep.include({ billing_required: true })
    expect(await billingOf(tenant)).to.deep.include({ pending_plan: 'enterprise', billing_status: 'pending' })
    const cent = { amount_total: 1, metadata: {}, payment_link: 'plink_1' }
    const changes = [
      { ...cent, payment_status: 'unpaid' },
      { ...cent, payment_status: 'no_payment_required' },
      cent,
      { ...cent, amount_total: 299_900 },
      { ...cent, mode: 'payment', subscription: null },
    ]
    for (const change of changes) {
      const ids = { customerId: fresh('cus'), subscriptionId: fresh('sub') }
      const paid = checkoutObject({ ...ids, id: fresh('cs'), tenantId: tenant.id, created: nowS() - 60, change })
      expect((await deliver(eventOf(fresh('evt'), 'checkout.session.completed', nowS(), paid))).status).to.equal(200)
      expect((await billingOf(tenant)).plan.id, JSON.stringify(change)).to.equal('free')
    }
  })
})
