import { expect } from 'chai'
import { expectAudited } from '../../support/db/audit.ts'
import { ADMIN_KEY, givenApiTenant, type ApiTenant } from '../../support/api.ts'
import { setUpOperation } from '../../support/people/given-members.ts'
import {
  checkoutObject,
  eventOf,
  invoiceObject,
  refundObject,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { fresh, givenPaying } from './given-paying.ts'
import { nowS, useBilling } from './use-billing.ts'
import { sendSql } from '../../support/db/send-sql.ts'

describe('refunds', () => {
  const billing = useBilling()
  const { api, stripe, deliver } = billing
  const db = () => api.server.services.db
  /** The credit memos of a tenant, as it sees them. */
  const memosOf = async ({ key }: ApiTenant): Promise<readonly Record<string, unknown>[]> => {
    const { body } = await api.call('GET', '/v1/account/invoices', { key })
    return body.invoices.filter(({ kind }: { kind: string }) => kind === 'refund')
  }
  const mailsTo = async ({ id }: ApiTenant): Promise<readonly string[]> => {
    const rows = await sendSql<{ template: string }>(
      db(),
      `select template from mails where tenant_id = $1 and template like 'refund%' order by created_at, id`,
      [id],
    )
    return rows.map(({ template }) => template)
  }

  const refund = async (body: object, headers = {}) =>
    await api.call('POST', '/v1/admin/refund', { headers: { 'x-admin-key': ADMIN_KEY, ...headers }, body })
  const givenCharge = (invoiceId: string, amount = 4900) => {
    const charge = fresh('ch')
    const intent = fresh('pi')
    stripe.state.charges.set(charge, {
      id: charge,
      object: 'charge',
      amount,
      amount_refunded: 0,
      currency: 'usd',
      customer: 'cus_x',
      payment_intent: intent,
    })
    stripe.state.paymentIntents.set(intent, { id: intent, object: 'payment_intent', latest_charge: charge })
    stripe.state.invoicePayments.set(intent, { id: fresh('inpay'), invoice: invoiceId, payment_intent: intent })
    return { charge, intent }
  }

  it('give back what is left, in parts, with a credit memo and two ledgers', async () => {
    const tenant = await givenPaying(billing)
    const { charge, intent } = givenCharge(tenant.invoiceId)
    const part = await refund({ charge, amount_cents: 900, reason: 'requested_by_customer' })
    expect(part.status, part.text).to.equal(200)
    expect(part.body).to.deep.include({ tenant_id: tenant.id })
    expect(part.body.refund).to.include({ amount_cents: 900, status: 'succeeded', charge })
    const rest = await refund({ payment_intent: intent })
    expect(rest.body.refund.amount_cents).to.equal(4000)
    const over = await refund({ charge })
    expect([over.status, over.body.code]).to.deep.equal([409, 'charge_mismatch'])
    expect((await memosOf(tenant)).map(({ amount_paid_cents: cents }) => cents)).to.have.members([-900, -4000])
    const op = setUpOperation(db(), tenant.id)
    const requested = await expectAudited(op, 'billing.refund_requested')
    expect(requested.actor).to.match(/^admin:/)
    await expectAudited(op, 'billing.refunded', requested.target ?? '')
    expect(await mailsTo(tenant)).to.deep.equal(['refunded', 'refunded'])
  })

  it('take up a refund whose answer was lost, and make it once', async () => {
    const tenant = await givenPaying(billing)
    const { charge } = givenCharge(tenant.invoiceId)
    stripe.setDown(true)
    expect((await refund({ charge, amount_cents: 1000 })).status).to.equal(502)
    stripe.setDown(false)
    const done = stripe.state.refunds.size
    // The SDK sends it again by itself, under the same key.
    stripe.loseAnswers(1)
    expect((await refund({ charge, amount_cents: 1000 })).status).to.equal(200)
    expect(stripe.state.refunds.size).to.equal(done + 1)
    expect(stripe.state.charges.get(charge)).to.include({ amount_refunded: 1000 })
  })

  it('refuse unknown charges, charges of another tenant, and more than was paid', async () => {
    const tenant = await givenPaying(billing)
    const other = await givenPaying(billing)
    const { charge } = givenCharge(tenant.invoiceId)
    const stray = givenCharge('in_of_nobody')
    const refused = async (body: object) => {
      const answer = await refund(body)
      return [answer.status, answer.body.code]
    }
    expect(await refused({ charge: 'ch_unknown' })).to.deep.equal([404, 'not_found'])
    expect(await refused({ charge: stray.charge })).to.deep.equal([404, 'not_found'])
    expect(await refused({ charge, tenant_id: other.id })).to.deep.equal([409, 'charge_mismatch'])
    expect(await refused({ charge, amount_cents: 4901 })).to.deep.equal([409, 'charge_mismatch'])
    expect(await refused({})).to.deep.equal([400, 'validation_failed'])
    expect(await refused({ charge, payment_intent: 'pi_1' })).to.deep.equal([400, 'validation_failed'])
    const own = await api.call('POST', '/v1/admin/refund', { key: tenant.key, body: { charge } })
    expect([own.status, own.body.code]).to.deep.equal([403, 'admin_only'])
    expect(stripe.state.charges.get(charge)).to.include({ amount_refunded: 0 })
  })

  it('ask word for word again for a refund whose answers were lost, and make it once', async () => {
    const tenant = await givenPaying(billing)
    const { charge } = givenCharge(tenant.invoiceId)
    const made = stripe.state.refunds.size
    stripe.loseAnswers(3)
    const lost = await refund({ charge, amount_cents: 700, reason: 'duplicate' })
    expect([lost.status, lost.body.code]).to.deep.equal([502, 'processor_failed'])
    const other = await refund({ charge, amount_cents: 800 })
    expect([other.status, other.body.code]).to.deep.equal([409, 'charge_mismatch'])
    const again = await refund({ charge, reason: 'fraudulent' })
    expect(again.body.refund, again.text).to.include({ amount_cents: 700, status: 'succeeded' })
    expect(stripe.state.refunds.size).to.equal(made + 1)
    expect(await memosOf(tenant)).to.have.length(1)
  })

  for (const status of ['failed', 'canceled'] as const) {
    it(`that end ${status} at the processor end here too, and the tenant that was notified of them is notified again`, async () => {
      const tenant = await givenPaying(billing)
      const { charge } = givenCharge(tenant.invoiceId)
      const { body } = await refund({ charge, amount_cents: 500 })
      const op = setUpOperation(db(), tenant.id)
      const { target } = await expectAudited(op, 'billing.refunded')
      const told = (type: 'refund.updated' | 'refund.failed', createdS: number, change: StripeObject) =>
        eventOf(
          fresh('evt'),
          type,
          createdS,
          refundObject({
            id: body.refund.id,
            customerId: tenant.customerId,
            amount: 500,
            created: nowS(),
            own: { tenantId: tenant.id, refundId: target ?? '' },
            change,
          }),
        )
      await deliver(told(status === 'failed' ? 'refund.failed' : 'refund.updated', nowS() + 5, { status }))
      // What was said before comes too late.
      await deliver(told('refund.updated', nowS() + 1, { status: 'pending' }))
      const [memo, ...none] = await memosOf(tenant)
      expect(none).to.deep.equal([])
      expect(memo).to.include({ id: body.refund.id, amount_paid_cents: 0, status })
      const { payload } = await expectAudited(op, 'billing.refund_failed', target ?? '')
      expect(payload).to.deep.equal({ amount_cents: 500, currency: 'usd' })
      expect(await mailsTo(tenant)).to.deep.equal(['refunded', 'refund_failed'])
      // The charge has its money again.
      expect((await refund({ charge, amount_cents: 500 })).status).to.equal(200)
    })
  }

  it('say so when the processor fails them at once', async () => {
    const tenant = await givenPaying(billing)
    const { charge } = givenCharge(tenant.invoiceId)
    stripe.state.charges.set(charge, { ...stripe.state.charges.get(charge), refund_status: 'failed' })
    const failed = await refund({ charge })
    expect([failed.status, failed.body.code]).to.deep.equal([502, 'processor_failed'])
    await expectAudited(setUpOperation(db(), tenant.id), 'billing.refund_failed')
    expect(await mailsTo(tenant)).to.deep.equal([])
    expect(await memosOf(tenant)).to.deep.equal([])
  })

  it('that were made in the dashboard wait until the tenant of the customer is known', async () => {
    const tenant = await givenApiTenant(api)
    const other = await givenPaying(billing)
    const ids = { customerId: fresh('cus'), subscriptionId: fresh('sub') }
    const created = nowS() - 100
    const made = refundObject({ id: fresh('re'), customerId: ids.customerId, amount: 300, created })
    const early = await deliver(eventOf(fresh('evt'), 'refund.created', created, { ...made, status: 'pending' }))
    expect(early.body.outcome).to.equal('parked')
    expect((await deliver(eventOf(fresh('evt'), 'refund.updated', created + 9, made))).body.outcome).to.equal('parked')
    const paid = invoiceObject({ ...ids, id: fresh('in'), created })
    expect((await deliver(eventOf(fresh('evt'), 'invoice.paid', created, paid))).body.outcome).to.equal('parked')
    const link = { payment_link: 'plink_1', metadata: {} }
    const bought = checkoutObject({ ...ids, id: fresh('cs'), tenantId: tenant.id, created, change: link })
    await deliver(eventOf(fresh('evt'), 'checkout.session.completed', created + 1, bought))
    const memos = await memosOf(tenant)
    expect(memos.map(({ amount_paid_cents: cents, status }) => [cents, status])).to.deep.equal([[-300, 'succeeded']])
    expect(await memosOf(other)).to.deep.equal([])
    // Absent ids match no tenant.
    const stray = { ...made, id: fresh('re'), customer: null, charge: null, payment_intent: null }
    expect((await deliver(eventOf(fresh('evt'), 'refund.created', created, stray))).body.outcome).to.equal('ignored')
  })
})
