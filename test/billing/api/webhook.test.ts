import { expect } from 'chai'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import { expectAudited } from '../../support/db/audit.ts'
import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import {
  checkoutObject,
  eventOf,
  invoiceObject,
  signedEvent,
  subscriptionObject,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { nowS, useBilling } from './use-billing.ts'
import { writeAll, sendSql } from '../../support/db/send-sql.ts'

const HOUR = 3600

describe('events of the payment processor', () => {
  const billing = useBilling()
  const { api, deliver } = billing
  let serial = 0
  const fresh = (prefix: string) => `${prefix}_${++serial}_${process.pid}`
  const db = () => api.server.services.db
  const account = async (tenant: ApiTenant) => (await api.call('GET', '/v1/account/billing', { key: tenant.key })).body
  const planOf = async (tenant: ApiTenant): Promise<string> => (await account(tenant)).plan.id

  /** Events of a tenant that buys pro, in order. */
  const purchase = (tenant: ApiTenant, change: StripeObject = {}) => {
    const ids = { customerId: fresh('cus'), subscriptionId: fresh('sub') }
    const created = nowS() - HOUR
    const named = { tenantId: tenant.id, created }
    const subscription = (status: string, more: StripeObject = {}) =>
      subscriptionObject({
        ...named,
        id: ids.subscriptionId,
        customerId: ids.customerId,
        plan: 'pro',
        periodEnd: created + 30 * 86_400,
        change: { status, ...more },
      })
    const checkout = checkoutObject({ ...named, id: fresh('cs'), ...ids, plan: 'pro', change })
    return {
      ...ids,
      created,
      subscription,
      completed: eventOf(fresh('evt'), 'checkout.session.completed', created + 2, checkout),
      begun: eventOf(fresh('evt'), 'customer.subscription.created', created + 1, subscription('incomplete')),
      active: eventOf(fresh('evt'), 'customer.subscription.updated', created + 2, subscription('active')),
      paid: eventOf(fresh('evt'), 'invoice.paid', created + 2, invoiceObject({ ...named, ...ids, id: fresh('in') })),
    }
  }

  it('flips the plan when a checkout was paid, once, however often its event comes', async () => {
    const tenant = await givenApiTenant(api)
    const { completed, begun, active, paid, customerId } = purchase(tenant)
    const first = await deliver(completed)
    expect(first.status, first.text).to.equal(200)
    expect(first.body).to.include({ received: true, idempotent: false, outcome: 'applied' })
    expect(await planOf(tenant)).to.equal('pro')
    expect((await deliver(completed)).body).to.include({ idempotent: true, outcome: 'applied' })
    // Stripe tells of one payment in two events.
    const succeeded = { ...paid, id: fresh('evt'), type: 'invoice.payment_succeeded' }
    for (const event of [begun, active, paid, succeeded]) {
      expect((await deliver(event)).body.outcome).to.equal('applied')
    }
    const view = await account(tenant)
    expect(view).to.include({ billing_status: 'active', portal_available: true, cancel_at_period_end: false })
    expect(view.invoices).to.have.length(1)
    expect(view.invoices[0]).to.include({ kind: 'invoice', amount_paid_cents: 4900, status: 'paid' })
    const me = await api.call('GET', '/v1/account', { key: tenant.key })
    expect(me.body).to.include({ plan: 'pro', quota: 200_000 })
    const op = setUpOperation(db(), tenant.id)
    const changed = await expectAudited(op, 'billing.plan_changed', tenant.id)
    expect(changed.payload).to.include({ from: 'free', to: 'pro' })
    await expectAudited(op, 'billing.payment_event', completed.id)
    const flips = (await listAudit(op, { limit: 100 })).items.filter(({ action }) => action === 'billing.plan_changed')
    expect(flips).to.have.length(1)
    const statement = 'select customer_id as "customerId" from billing_accounts where tenant_id = $1'
    const [row] = await sendSql<{ customerId: string }>(db(), statement, [tenant.id])
    expect(row?.customerId).to.equal(customerId)
  })

  it('understands them backwards, and from a payment link whose plan follows from the price alone', async () => {
    const tenant = await givenApiTenant(api)
    const { completed, begun, active, paid } = purchase(tenant, { payment_link: 'plink_1', metadata: {} })
    const bare = (event: ReturnType<typeof eventOf>) => ({
      ...event,
      data: { object: { ...event.data.object, metadata: {}, parent: undefined } },
    })
    for (const event of [paid, active, begun]) expect((await deliver(bare(event))).body.outcome).to.equal('parked')
    expect(await planOf(tenant)).to.equal('free')
    expect((await deliver(completed)).body.outcome).to.equal('applied')
    expect(await planOf(tenant)).to.equal('pro')
    const invoices = await api.call('GET', '/v1/account/invoices', { key: tenant.key })
    expect(invoices.body).to.include({ total: 1, next_cursor: null })
    expect((await deliver(bare(active))).body).to.include({ idempotent: true, outcome: 'applied' })
  })

  it('an unpaid one-cent checkout flips no plan', async () => {
    const tenant = await givenApiTenant(api)
    await api.call('POST', '/v1/account/change-plan', { key: tenant.key, body: { plan: 'enterprise' } })
    expect(await account(tenant)).to.include({ pending_plan: 'enterprise', billing_status: 'pending' })
    const cent = { amount_total: 1, metadata: {}, payment_link: 'plink_1' }
    for (const change of [{ ...cent, payment_status: 'unpaid' }, cent, { ...cent, mode: 'payment' }]) {
      const { completed } = purchase(tenant, change)
      expect((await deliver(completed)).status).to.equal(200)
      expect(await planOf(tenant)).to.equal('free')
    }
    // Methods of payment that take days: the subscription is active long before.
    const { completed, active } = purchase(tenant, { payment_status: 'unpaid' })
    await deliver(active)
    expect(await planOf(tenant)).to.equal('free')
    await deliver(completed)
    expect(await planOf(tenant)).to.equal('free')
    await deliver({ ...completed, id: fresh('evt'), type: 'checkout.session.async_payment_failed' })
    expect(await planOf(tenant)).to.equal('free')
    const settled = { ...completed.data.object, payment_status: 'paid' }
    await deliver(eventOf(fresh('evt'), 'checkout.session.async_payment_succeeded', nowS(), settled))
    expect(await planOf(tenant)).to.equal('pro')
  })

  it('gives no plan for a price that came later than the metadata and is none of ours', async () => {
    const tenant = await givenApiTenant(api)
    const { completed, active, subscription, created } = purchase(tenant)
    await deliver(completed)
    await deliver(active)
    const items = { data: [{ id: 'si_1', current_period_end: created + HOUR * 1000, price: { id: 'price_cheap' } }] }
    await deliver(eventOf(fresh('evt'), 'customer.subscription.updated', nowS(), subscription('active', { items })))
    expect(await planOf(tenant)).to.equal('free')
  })

  it("an unknown customer's failed invoice changes no tenant", async () => {
    const tenant = await givenApiTenant(api)
    const bystander = await givenApiTenant(api)
    const { completed } = purchase(tenant)
    await deliver(completed)
    const dump = async () => await sendSql(db(), 'select id, plan, billing_status from tenants order by id')
    const before = await dump()
    const failed = (change: StripeObject) =>
      eventOf(fresh('evt'), 'invoice.payment_failed', nowS(), {
        ...invoiceObject({ id: fresh('in'), customerId: 'cus_nobody', subscriptionId: 'sub_nobody', created: nowS() }),
        status: 'open',
        parent: null,
        ...change,
      })
    expect((await deliver(failed({}))).body.outcome).to.equal('parked')
    expect((await deliver(failed({ customer: null }))).body.outcome).to.equal('ignored')
    expect((await deliver(failed({ customer: null, subscription: null }))).body.outcome).to.equal('ignored')
    expect(await dump()).to.deep.equal(before)
    expect((await account(bystander)).dunning).to.deep.equal([])
  })

  it('has no effect for another mode, another currency, another tenant or an unknown one', async () => {
    const tenant = await givenApiTenant(api)
    const other = await givenApiTenant(api)
    const { completed, customerId } = purchase(tenant)
    const outcome = async (event: object) => (await deliver({ ...event, id: fresh('evt') })).body.outcome
    const changed = (change: StripeObject) => ({
      ...completed,
      data: { object: { ...completed.data.object, ...change } },
    })
    expect(await outcome({ ...completed, livemode: true })).to.equal('livemode_mismatch')
    expect(await outcome(changed({ currency: 'jpy' }))).to.equal('currency_mismatch')
    expect(await outcome(changed({ client_reference_id: other.id }))).to.equal('tenant_mismatch')
    expect(await outcome(changed({ client_reference_id: 'ten_x', metadata: {} }))).to.equal('unknown_tenant')
    expect(await outcome({ ...completed, type: 'account.updated' })).to.equal('ignored')
    expect(await planOf(tenant)).to.equal('free')
    await deliver(completed)
    const stolen = purchase(other)
    const theirs = { ...stolen.completed.data.object, customer: customerId }
    expect(await outcome({ ...stolen.completed, data: { object: theirs } })).to.equal('customer_mismatch')
    expect(await planOf(other)).to.equal('free')
  })

  it('ends with the subscription, and not by an older event that comes later', async () => {
    const tenant = await givenApiTenant(api)
    const { completed, active, subscription, created } = purchase(tenant)
    await deliver(completed)
    await deliver(eventOf(fresh('evt'), 'customer.subscription.deleted', created + 900, subscription('canceled')))
    expect(await planOf(tenant)).to.equal('free')
    expect((await account(tenant)).billing_status).to.equal('cancelled')
    await deliver(active)
    expect(await planOf(tenant)).to.equal('free')
  })

  it('ends what was bought before when another plan is bought here', async () => {
    const tenant = await givenApiTenant(api)
    const first = purchase(tenant)
    await deliver(first.completed)
    await deliver(first.active)
    const starter = purchase(tenant)
    const cheaper = subscriptionObject({
      id: starter.subscriptionId,
      customerId: first.customerId,
      tenantId: tenant.id,
      plan: 'starter',
      created: nowS() - 60,
      periodEnd: nowS() + 30 * 86_400,
    })
    const bought = checkoutObject({
      id: fresh('cs'),
      tenantId: tenant.id,
      customerId: first.customerId,
      subscriptionId: starter.subscriptionId,
      plan: 'starter',
      created: nowS() - 60,
    })
    await deliver(eventOf(fresh('evt'), 'customer.subscription.created', nowS() - 59, cheaper))
    await deliver(eventOf(fresh('evt'), 'checkout.session.completed', nowS() - 58, bought))
    expect(await planOf(tenant)).to.equal('starter')
    const { subscriptions } = await account(tenant)
    expect(subscriptions.map(({ id }: { id: string }) => id)).to.deep.equal([starter.subscriptionId])
    const requests = await sendSql(db(), 'select 1 from outbox where workflow_id = $1', [`${tenant.id}/billing`])
    expect(requests).to.have.length(1)
  })

  it('keeps neither the id nor a part of the effect of an event that the database was lost over', async () => {
    const tenant = await givenApiTenant(api)
    const { completed, paid } = purchase(tenant)
    await deliver(completed)
    const traces = async () =>
      await sendSql(
        db(),
        `select id from payment_events where id = $1
         union all select id from invoices where tenant_id = $2
         union all select id from audit_entries where tenant_id = $2 and target = $1`,
        [paid.id, tenant.id],
      )
    const delivery = await writeAll(db(), async (tx) => {
      await tx.query('lock table invoices')
      const answer = deliver(paid)
      // It has written the id, and waits for the ledger of invoices.
      let cut: readonly object[] = []
      while (cut.length === 0) {
        cut = await sendSql(
          db(),
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%invoices%'`,
        )
      }
      return await answer
    })
    expect([delivery.status, delivery.body.code]).to.deep.equal([503, 'store_unavailable'])
    expect(await traces()).to.deep.equal([])
    expect((await deliver(paid)).body).to.include({ idempotent: false, outcome: 'applied' })
    expect(await traces()).to.have.length(3)
    expect((await deliver(paid)).body).to.include({ idempotent: true, outcome: 'applied' })
    expect(await traces()).to.have.length(3)
  })

  it('takes one of twenty deliveries of an event at the same time', async () => {
    const tenant = await givenApiTenant(api)
    const { completed } = purchase(tenant)
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(completed)))
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]))
    expect(answers.filter(({ body }) => body.idempotent === false)).to.have.length(1)
    expect(await planOf(tenant)).to.equal('pro')
  })

  it('starts nothing for an event that leaves nothing to do', async () => {
    const tenant = await givenApiTenant(api)
    const first = purchase(tenant)
    await deliver(first.completed)
    await deliver(first.active)
    const second = purchase(tenant, { created: nowS() - 60 })
    await deliver({ ...second.completed, created: nowS() - 58 })
    const ended = eventOf(fresh('evt'), 'customer.subscription.deleted', nowS(), first.subscription('canceled'))
    await deliver(ended)
    const requests = async () =>
      await sendSql<{ version: number }>(db(), 'select version from outbox where workflow_id = $1', [
        `${tenant.id}/billing`,
      ])
    const before = await requests()
    expect(before).to.have.length(1)
    await deliver(second.paid)
    await deliver(second.active)
    expect(await requests()).to.deep.equal(before)
  })

  it('refuses what is not signed, signed twice, too old, too large or nothing', async () => {
    const tenant = await givenApiTenant(api)
    const { completed } = purchase(tenant)
    const { payload, header } = signedEvent(completed, new Date())
    const post = async (raw: string | undefined, headers: Record<string, string>) =>
      (await api.call('POST', '/v1/webhooks/stripe', { ...(raw !== undefined && { raw }), headers })).body.code
    expect(await post(payload, {})).to.equal('invalid_signature')
    expect(await post(`${payload} `, { 'stripe-signature': header })).to.equal('invalid_signature')
    expect(await post('', { 'stripe-signature': header })).to.equal('invalid_signature')
    const old = signedEvent(completed, new Date(Date.now() - 301_000 - 1000))
    expect(await post(old.payload, { 'stripe-signature': old.header })).to.equal('invalid_signature')
    const large = await api.call('POST', '/v1/webhooks/stripe', {
      raw: ' '.repeat(4 * 1024 * 1024 + 1),
      headers: { 'stripe-signature': header },
    })
    expect(large.status).to.equal(413)
    expect(await planOf(tenant)).to.equal('free')
  })
})
