import { expect } from 'chai'
import { createStripeProcessor } from '../../core/billing/stripe-processor.ts'
import type { PaymentProcessor } from '../../core/billing/processor.ts'
import { DomainError } from '../../core/errors.ts'
import { findStripeMock, startStripeMock, type StripeMock } from '../support/stripe/mock.ts'
import { checkoutObject, eventOf, signedEvent, stripeSettings } from '../support/stripe/objects.ts'
import { useFakeStripe } from '../support/stripe/fake.ts'

const CHECKOUT = {
  tenantId: 'ten_a',
  plan: 'pro',
  customerId: null,
  email: 'a@example.test',
  quantity: 1,
  successUrl: 'https://svc.example.test/#paid',
  cancelUrl: 'https://svc.example.test/#cancelled',
  idempotencyKey: 'key-1',
} as const

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof DomainError ? error.code : expect.fail(`threw ${String(error)}`)
}

describe("Stripe's adapter", () => {
  const fake = useFakeStripe()
  const processor = (): PaymentProcessor => createStripeProcessor(stripeSettings(fake.url), { toleranceS: 300 })

  it('begins a checkout that carries tenant, plan and price in its metadata and in that of the subscription', async () => {
    const checkout = await processor().createCheckout(CHECKOUT)
    expect(checkout.url).to.match(/^https:/)
    const { form, idempotencyKey } = fake.calls.at(-1) ?? {}
    const metadata = { svc_tenant_id: 'ten_a', svc_plan: 'pro', svc_price_id: 'price_pro' }
    expect(form).to.deep.include({ metadata, subscription_data: { metadata }, client_reference_id: 'ten_a' })
    expect(form).to.deep.include({ line_items: { 0: { price: 'price_pro', quantity: '1' } }, mode: 'subscription' })
    expect(idempotencyKey).to.equal('key-1')
    expect(await processor().createCheckout(CHECKOUT)).to.deep.equal(checkout)
  })

  it('says billing_not_configured for a plan without a price and for a processor without a key', async () => {
    const unpriced = createStripeProcessor(stripeSettings(fake.url, { prices: {} }), { toleranceS: 300 })
    expect(await codeOf(unpriced.createCheckout(CHECKOUT))).to.equal('billing_not_configured')
    const keyless = createStripeProcessor({ webhookSecret: 'whsec_x', prices: {}, links: {} }, { toleranceS: 300 })
    expect(await codeOf(keyless.findCharge('ch_1'))).to.equal('billing_not_configured')
  })

  it('keeps one VAT number with the customer', async () => {
    fake.state.customers.set('cus_tax', { id: 'cus_tax', object: 'customer' })
    const update = { customerId: 'cus_tax', companyName: 'Example GmbH', countryCode: 'DE' }
    await processor().updateCustomer({ ...update, vatNumber: 'DE123456789', idempotencyKey: 'tax-1' })
    await processor().updateCustomer({ ...update, vatNumber: 'DE123456789', idempotencyKey: 'tax-2' })
    await processor().updateCustomer({ ...update, vatNumber: 'NO123456789MVA', idempotencyKey: 'tax-3' })
    const taxIds = [...fake.state.taxIds.values()].map(({ type, value }) => ({ type, value }))
    expect(taxIds).to.deep.equal([{ type: 'no_vat', value: 'NO123456789MVA' }])
    expect(fake.state.customers.get('cus_tax')).to.deep.include({ name: 'Example GmbH', address: { country: 'DE' } })
  })

  it('leaves subscriptions alone that are over or unknown', async () => {
    fake.state.subscriptions.set('sub_over', { id: 'sub_over', status: 'canceled' })
    await processor().cancelNow({ subscriptionId: 'sub_over', idempotencyKey: 'end-1' })
    await processor().setCancelAtPeriodEnd({ subscriptionId: 'sub_gone', isSet: true, idempotencyKey: 'end-2' })
    expect(fake.calls.filter(({ method, path }) => method !== 'GET' && path.includes('/subscriptions/'))).to.deep.equal(
      [],
    )
  })

  it('says processor_failed while Stripe is down, and hides what it said', async () => {
    fake.setDown(true)
    const error = await processor()
      .openPortal({ customerId: 'cus_1', returnUrl: 'https://svc.example.test/' })
      .catch((thrown: unknown) => thrown)
    fake.setDown(false)
    expect(error).to.include({ code: 'processor_failed' })
    expect(JSON.stringify(error)).to.not.include('down for a test')
  })

  describe('reading events', () => {
    const at = new Date('2026-11-02T10:00:00Z')
    const event = eventOf(
      'evt_1',
      'checkout.session.completed',
      1_793_000_000,
      checkoutObject({ id: 'cs_1', tenantId: 'ten_a', customerId: 'cus_1', subscriptionId: 'sub_1', created: 1 }),
    )
    const { payload, header } = signedEvent(event, at)
    const shifted = (seconds: number) => new Date(at.getTime() + seconds * 1000)
    const read = (text: string, signature: string, now: Date) =>
      codeOf(Promise.resolve().then(() => processor().readEvent(Buffer.from(text), signature, now)))

    it('takes what was signed within the window', () => {
      for (const seconds of [-300, 0, 300]) {
        expect(processor().readEvent(Buffer.from(payload), header, shifted(seconds)).id).to.equal('evt_1')
      }
      const several = header.replace(',v1=', `,v1=${'0'.repeat(64)},v0=x,v1=`)
      expect(processor().readEvent(Buffer.from(payload), several, at).snapshot).to.include({ kind: 'checkout' })
    })

    it('refuses other bytes, other secrets, and times outside of the window, on both sides', async () => {
      expect(await read(payload.replace('ten_a', 'ten_b'), header, at)).to.equal('invalid_signature')
      expect(await read(payload, signedEvent(event, at, 'whsec_other').header, at)).to.equal('invalid_signature')
      expect(await read(payload, header, shifted(302))).to.equal('invalid_signature')
      expect(await read(payload, header, shifted(-302))).to.equal('invalid_signature')
      for (const broken of ['', 't=,v1=', 'v1=00', `t=${at.getTime() / 1000}`, `${header},t=1`, 'x']) {
        expect(await read(payload, broken, at), broken).to.equal('invalid_signature')
      }
      expect(await read('', signedEvent(event, at).header, at)).to.equal('invalid_signature')
    })

    it('says validation_failed for a signed event that is not what its type says', async () => {
      const odd = signedEvent({ ...event, data: { object: { id: 7 } } }, at)
      expect(await read(odd.payload, odd.header, at)).to.equal('validation_failed')
    })
  })
})

describe("Stripe's adapter against stripe-mock", () => {
  const binary = findStripeMock()
  let mock: StripeMock | undefined
  before(async function () {
    if (binary === undefined) return this.skip()
    mock = await startStripeMock(binary)
  })
  after(async () => {
    await mock?.stop()
  })
  const processor = (): PaymentProcessor => createStripeProcessor(stripeSettings(mock?.url ?? ''), { toleranceS: 300 })

  it('makes calls that agree with the OpenAPI document of Stripe', async () => {
    const checkout = await processor().createCheckout(CHECKOUT)
    expect(checkout.id).to.be.a('string')
    await processor().createCheckout({ ...CHECKOUT, customerId: 'cus_1', idempotencyKey: 'key-2' })
    expect(await processor().openPortal({ customerId: 'cus_1', returnUrl: 'https://svc.example.test/' })).to.be.a(
      'string',
    )
    await processor().setCancelAtPeriodEnd({ subscriptionId: 'sub_1', isSet: true, idempotencyKey: 'a' })
    await processor().cancelNow({ subscriptionId: 'sub_1', idempotencyKey: 'b' })
    const update = { customerId: 'cus_1', companyName: 'Example', countryCode: 'DE', taxId: '12/345' }
    await processor().updateCustomer({ ...update, vatNumber: 'DE123456789', idempotencyKey: 'c' })
    await processor().updateCustomer({ customerId: 'cus_1', countryCode: null, companyName: null, idempotencyKey: 'd' })
    const charge = await processor().findCharge('ch_1')
    expect(charge?.amountCents).to.be.a('number')
    await processor().findChargeOfPaymentIntent('pi_1')
    const refund = await processor().refund({
      chargeId: 'ch_1',
      amountCents: 100,
      reason: 'duplicate',
      refundId: 'rfd_1',
      tenantId: 'ten_a',
      idempotencyKey: 'e',
    })
    expect(refund.id).to.be.a('string')
  })
})
