import { expect } from 'chai'
import { isVatNumber, normalizeVatNumber } from '../../../core/billing/tax.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { ADMIN_KEY, givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { givenMember, givenPlan, setUpOperation } from '../../support/people/given-members.ts'
import { eventOf, invoiceObject } from '../../support/stripe/objects.ts'
import { givenPaying } from './given-paying.ts'
import { nowS, useBilling } from './use-billing.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('plans, checkout and the account with the payment processor', () => {
  const billing = useBilling({
    settings: { publicUrl: 'https://svc.example.test' },
    change: { links: { business: 'https://pay.example.test/business' } },
  })
  const { api, stripe, deliver } = billing
  let serial = 0
  const fresh = (prefix: string) => `${prefix}_a${++serial}`
  const db = () => api.server.services.db
  const as = (tenant: ApiTenant) => ({
    get: async (path: string) => await api.call('GET', path, { key: tenant.key }),
    post: async (path: string, body?: object) => await api.call('POST', path, { key: tenant.key, body }),
    patch: async (path: string, body: object) => await api.call('PATCH', path, { key: tenant.key, body }),
  })
  it('shows what can be paid, and how', async () => {
    const { body } = await api.call('GET', '/v1/billing/tiers')
    const configured = body.plans.map((plan: Record<string, unknown>) => plan['billing_link_configured'])
    expect(body.billing_configured).to.equal(true)
    expect(configured).to.deep.equal([false, true, true, true, true, true])
    const tenant = await givenApiTenant(api)
    const ready = await as(tenant).get('/v1/billing/ready')
    expect(ready.body).to.deep.include({ ready: true, missing: [], livemode: false })
    expect(ready.text).to.not.match(/sk_test|whsec|price_/)
  })

  it('starts a checkout, the same one within a minute, and leaves the plan alone', async () => {
    const tenant = await givenApiTenant(api)
    const first = await as(tenant).post('/v1/billing/checkout', { plan: 'pro' })
    expect(first.status, first.text).to.equal(200)
    expect(first.body).to.include({ plan: 'pro', tenant: tenant.id, source: 'checkout', livemode: false })
    const { form } = stripe.calls.at(-1) ?? {}
    expect(form).to.include({ success_url: 'https://svc.example.test/#billing=paid', client_reference_id: tenant.id })
    const minute = () => Math.floor(Date.now() / 60_000)
    const before = minute()
    const [one, again] = [
      await as(tenant).post('/v1/billing/checkout', { plan: 'pro' }),
      await as(tenant).post('/v1/billing/checkout', { plan: 'pro' }),
    ]
    if (minute() === before) expect(again.body.id).to.equal(one.body.id)
    expect((await as(tenant).get('/v1/account/billing')).body).to.deep.include({
      billing_status: 'pending',
      pending_plan: 'pro',
      portal_available: false,
    })
    await expectAudited(setUpOperation(db(), tenant.id), 'billing.checkout_started', first.body.id)
    const wrong = await as(tenant).post('/v1/billing/checkout', { plan: 'platinum' })
    expect([wrong.status, wrong.body.code]).to.deep.equal([400, 'unknown_plan'])
    expect((await as(tenant).post('/v1/billing/checkout', { plan: 'free' })).body.code).to.equal('unknown_plan')
    stripe.setDown(true)
    const failed = await as(tenant).post('/v1/billing/checkout', { plan: 'teams' })
    stripe.setDown(false)
    expect([failed.status, failed.body.code]).to.deep.equal([502, 'processor_failed'])
  })

  it('changes to a paid plan by a link that names the tenant, and to the free one at once', async () => {
    const tenant = await givenPaying(billing, 'teams')
    const link = await as(tenant).post('/v1/account/change-plan', { plan: 'starter' })
    expect(link.body).to.deep.include({ billing_required: true })
    expect(link.body.tenant).to.deep.equal({ id: tenant.id, plan: 'teams', quota: 1_000_000, seats: 5 })
    const same = await as(tenant).post('/v1/account/change-plan', { plan: 'teams' })
    expect(same.body).to.deep.include({ billing_required: false, billing_url: null })
    const free = await as(tenant).post('/v1/account/change-plan', { plan: 'free' })
    expect(free.body.tenant).to.deep.equal({ id: tenant.id, plan: 'free', quota: 10_000, seats: 1 })
    expect((await as(tenant).get('/v1/account')).body.plan).to.equal('free')
    const view = await as(tenant).get('/v1/account/billing')
    expect(view.body).to.deep.include({ billing_status: 'cancelled', pending_plan: null, subscriptions: [] })
    // A renewal that was on its way does not bring it back.
    await deliver(
      eventOf(
        fresh('evt'),
        'invoice.paid',
        nowS() - 1,
        invoiceObject({ ...tenant, tenantId: tenant.id, id: fresh('in'), created: nowS() }),
      ),
    )
    expect((await as(tenant).get('/v1/account')).body.plan).to.equal('free')
    const business = await givenApiTenant(api)
    const bought = await as(business).post('/v1/account/change-plan', { plan: 'business' })
    expect(bought.body.billing_url).to.match(/^https:/)
    expect((await as(business).post('/v1/account/change-plan', { plan: 'gold' })).body.code).to.equal('unknown_plan')
  })

  it('lets a plan end with its period, once; a free one ends now', async () => {
    const tenant = await givenPaying(billing)
    const first = await as(tenant).post('/v1/account/cancel')
    expect(first.body).to.include({ downgrades_to: 'free', effective_at: tenant.periodEnd.toISOString() })
    expect((await as(tenant).post('/v1/account/cancel')).body.effective_at).to.equal(first.body.effective_at)
    const { body } = await as(tenant).get('/v1/account/billing')
    expect(body).to.deep.include({ billing_status: 'active', cancel_at_period_end: true })
    expect(body.plan.id).to.equal('pro')
    await expectAudited(setUpOperation(db(), tenant.id), 'billing.cancel_requested', tenant.id)
    const free = await givenApiTenant(api)
    const ended = await as(free).post('/v1/account/cancel')
    expect(ended.status).to.equal(200)
    expect(Date.parse(ended.body.effective_at)).to.be.closeTo(Date.now(), 60_000)
  })

  it('goes on with a plan that was to end when that plan is asked for again', async () => {
    const tenant = await givenPaying(billing)
    await as(tenant).post('/v1/account/cancel')
    const kept = await as(tenant).post('/v1/account/change-plan', { plan: 'pro' })
    expect(kept.body, kept.text).to.deep.include({ billing_required: false, billing_url: null })
    const { body } = await as(tenant).get('/v1/account/billing')
    expect(body).to.deep.include({ billing_status: 'active', cancel_at_period_end: false })
    const { payload } = await expectAudited(setUpOperation(db(), tenant.id), 'billing.cancel_taken_back', tenant.id)
    expect(payload).to.deep.equal({ subscriptions: [tenant.subscriptionId] })
    // What the processor tells of the cancellation meanwhile is older than this.
    await deliver(tenant.subscriptionEvent('customer.subscription.updated', { cancel_at_period_end: true }))
    expect((await as(tenant).get('/v1/account/billing')).body).to.include({ cancel_at_period_end: false })
    const again = await as(tenant).post('/v1/account/cancel')
    expect(again.body.effective_at).to.equal(tenant.periodEnd.toISOString())
  })

  it('answers the quota that is in force for a tenant with one of its own', async () => {
    const made = await api.call('POST', '/v1/admin/tenant', {
      headers: { 'x-admin-key': ADMIN_KEY },
      body: { name: fresh('own-quota'), quota: 5000 },
    })
    const changed = await as({ id: made.body.tenant.id, key: made.body.api_key }).post('/v1/account/change-plan', {
      plan: 'free',
    })
    expect(changed.body.tenant).to.include({ plan: 'free', quota: 5000 })
  })

  it('takes tax fields that have the form of what they are', async () => {
    const tenant = await givenPaying(billing)
    const set = await as(tenant).patch('/v1/account/billing', {
      vat_number: 'de 123 456 789',
      company_name: 'Example GmbH',
      country_code: 'de',
    })
    expect(set.status, set.text).to.equal(200)
    expect(set.body.tax).to.deep.equal({
      vat_number: 'DE123456789',
      tax_id: null,
      company_name: 'Example GmbH',
      country_code: 'DE',
    })
    const { payload } = await expectAudited(setUpOperation(db(), tenant.id), 'billing.tax_updated', tenant.id)
    expect(payload).to.deep.equal({ fields: ['vatNumber', 'companyName', 'countryCode'] })
    const refused = async (body: object) => {
      const answer = await as(tenant).patch('/v1/account/billing', body)
      return [answer.status, answer.body.code]
    }
    expect(await refused({})).to.deep.equal([400, 'no_fields'])
    expect(await refused({ country_code: 42 })).to.deep.equal([400, 'validation_failed'])
    expect(await refused({ country_code: 'XX' })).to.deep.equal([400, 'validation_failed'])
    expect(await refused({ vat_number: 'DE12' })).to.deep.equal([400, 'validation_failed'])
    expect(await refused({ vat_number: 'FR12345678901' })).to.deep.equal([400, 'validation_failed'])
    const cleared = await as(tenant).patch('/v1/account/billing', {
      vat_number: '',
      tax_id: '12/345',
      tax_country: 'AT',
    })
    expect(cleared.body.tax).to.deep.include({ vat_number: null, tax_id: '12/345', country_code: 'AT' })
    const requests = await sendSql(db(), 'select 1 from outbox where workflow_id = $1', [`${tenant.id}/billing`])
    expect(requests).to.have.length(1)
  })

  it('knows the forms of VAT numbers', () => {
    const good = [
      'DE123456789',
      'ATU12345678',
      'FR12345678901',
      'NL123456789B01',
      'EL123456789',
      'GB123456789',
      'NO123456789MVA',
    ]
    for (const number of good) expect(isVatNumber(number), number).to.equal(true)
    for (const number of ['DE12345678', 'XX123', 'AT12345678', '', 'de123456789', '__proto__']) {
      expect(isVatNumber(number), number).to.equal(false)
    }
    expect(normalizeVatNumber('che-123.456.789 mwst')).to.equal('CHE123456789MWST')
  })

  it('opens the portal for a customer only', async () => {
    const free = await givenApiTenant(api)
    const none = await as(free).post('/v1/account/billing/portal')
    expect([none.status, none.body.code]).to.deep.equal([409, 'no_payment_customer'])
    const tenant = await givenPaying(billing)
    const { body } = await as(tenant).post('/v1/account/billing/portal')
    expect(body.portal_url).to.equal(`https://portal.example.test/${tenant.customerId}`)
    expect(stripe.calls.at(-1)?.form).to.include({ return_url: 'https://svc.example.test/' })
    stripe.state.customers.set(tenant.customerId, { id: tenant.customerId, deleted: true })
    const gone = await as(tenant).post('/v1/account/billing/portal')
    expect([gone.status, gone.body.code]).to.deep.equal([409, 'no_payment_customer'])
  })

  it('pages invoices, and shows each tenant only its own', async () => {
    const tenant = await givenPaying(billing)
    const other = await givenApiTenant(api)
    for (let n = 0; n < 3; n++) {
      const created = nowS() - 100 + n
      const invoice = invoiceObject({ ...tenant, tenantId: tenant.id, id: fresh('in'), created })
      await deliver(eventOf(fresh('evt'), 'invoice.paid', created, invoice))
    }
    const first = await as(tenant).get('/v1/account/invoices?limit=3')
    expect(first.body).to.include({ total: 4 })
    const times = first.body.invoices.map(({ created_at: at }: { created_at: string }) => at)
    expect(times).to.deep.equal(times.toSorted().toReversed())
    const rest = await as(tenant).get(`/v1/account/invoices?limit=3&cursor=${first.body.next_cursor}`)
    expect(rest.body.invoices).to.have.length(1)
    expect((await as(other).get('/v1/account/invoices')).body).to.deep.include({ total: 0, invoices: [] })
  })

  it('gives seats up on a smaller plan', async () => {
    const tenant = await givenPaying(billing, 'teams')
    const op = setUpOperation(db(), tenant.id)
    const members = [await givenMember(op, { role: 'member' }), await givenMember(op, { role: 'admin' })]
    await as(tenant).post('/v1/account/change-plan', { plan: 'free' })
    for (const { id } of members) await expectAudited(op, 'member.deactivated', id)
    const changed = await expectAudited(op, 'billing.plan_changed', tenant.id)
    expect(changed.payload['seats_given_up']).to.have.length(2)
  })

  it('computes the plan from what was paid, whatever stood there before', async () => {
    const tenant = await givenApiTenant(api)
    await givenPlan(db(), tenant.id, 'enterprise')
    await deliver(
      eventOf(fresh('evt'), 'invoice.paid', nowS(), {
        ...invoiceObject({ id: fresh('in'), customerId: fresh('cus'), subscriptionId: 'sub_x', created: nowS() }),
        parent: { subscription_details: { subscription: 'sub_x', metadata: { svc_tenant_id: tenant.id } } },
      }),
    )
    expect((await as(tenant).get('/v1/account')).body.plan).to.equal('free')
  })
})
