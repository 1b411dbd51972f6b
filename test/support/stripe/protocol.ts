import { partOf, textOf, type Form } from './form.ts'
import type { StripeObject } from './objects.ts'
import type { StripeCall, StripeState } from './state.ts'

/** A call that the server refuses. */
export class StripeRefusal extends Error {
  readonly status: number
  readonly code: string | undefined
  readonly param: string | undefined

  constructor(status: number, message: string, code?: string, param?: string) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }
}

type Answer = (state: StripeState, id: string, form: Form) => StripeObject

/** Numbers of a kind that Stripe accepts, as far as tests need it; the digits of no number add up in `000000000`. */
const TAX_IDS: Readonly<Record<string, RegExp>> = {
  eu_vat: /^[A-Z]{2}(?!0{9})[0-9A-Z+*]{2,12}$/,
  gb_vat: /^GB\w{5,12}$/,
  no_vat: /^\d{9}MVA$/,
  ch_vat: /^CHE-\d{3}\.\d{3}\.\d{3} (MWST|TVA|IVA)$/,
}

let made = 0

/** The calls that the service makes; `*` stands for an id. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'POST /v1/checkout/sessions': (state, _id, form) => {
    const id = `cs_test_${state.checkouts.size + 1}`
    if (textOf(partOf(partOf(form, 'line_items'), '0'), 'price') === undefined) {
      throw new StripeRefusal(400, 'Missing required param: line_items', 'parameter_missing')
    }
    refuseDeleted(state, textOf(form, 'customer'))
    const session = {
      id,
      object: 'checkout.session',
      url: `https://checkout.example.test/${id}`,
      customer: textOf(form, 'customer') ?? null,
      client_reference_id: textOf(form, 'client_reference_id') ?? null,
      metadata: partOf(form, 'metadata'),
      status: 'open',
    }
    state.checkouts.set(id, session)
    return session
  },
  'POST /v1/billing_portal/sessions': (state, _id, form) => {
    const customer = textOf(form, 'customer')
    refuseDeleted(state, customer)
    return { id: 'bps_1', object: 'billing_portal.session', url: `https://portal.example.test/${customer}` }
  },
  'GET /v1/subscriptions/*': (state, id) => find(state.subscriptions, id, 'subscription'),
  'POST /v1/subscriptions/*': (state, id, form) => {
    const updated = {
      ...find(state.subscriptions, id, 'subscription'),
      cancel_at_period_end: textOf(form, 'cancel_at_period_end') === 'true',
    }
    state.subscriptions.set(id, updated)
    return updated
  },
  'DELETE /v1/subscriptions/*': (state, id) => {
    const cancelled = { ...find(state.subscriptions, id, 'subscription'), status: 'canceled' }
    state.subscriptions.set(id, cancelled)
    return cancelled
  },
  'GET /v1/customers/*': (state, id) => find(state.customers, id, 'customer'),
  'POST /v1/customers/*': (state, id, form) => {
    const customer = find(state.customers, id, 'customer')
    if (customer['deleted'] === true)
      throw new StripeRefusal(404, `No such customer: '${id}'`, 'resource_missing', 'id')
    const updated = { ...customer, ...form }
    state.customers.set(id, updated)
    return updated
  },
  'GET /v1/customers/*/tax_ids': (state, id) =>
    listOf([...state.taxIds.values()].filter((taxId) => taxId['customer'] === id)),
  'POST /v1/customers/*/tax_ids': (state, id, form) => {
    const value = textOf(form, 'value') ?? ''
    if (!TAX_IDS[textOf(form, 'type') ?? '']?.test(value)) {
      throw new StripeRefusal(400, `Invalid value for tax ID: ${value}`, 'tax_id_invalid', 'value')
    }
    const taxId = { ...form, id: `txi_${++made}`, object: 'tax_id', customer: id }
    state.taxIds.set(taxId.id, taxId)
    return taxId
  },
  'DELETE /v1/customers/*/tax_ids/*': (state, _customer, form) => {
    const id = textOf(form, 'second id') ?? ''
    find(state.taxIds, id, 'tax_id')
    state.taxIds.delete(id)
    return { id, object: 'tax_id', deleted: true }
  },
  'GET /v1/charges/*': (state, id) => find(state.charges, id, 'charge'),
  'GET /v1/payment_intents/*': (state, id) => find(state.paymentIntents, id, 'payment_intent'),
  'GET /v1/invoice_payments': (state, _id, form) => {
    const intent = textOf(partOf(form, 'payment'), 'payment_intent')
    return listOf([...state.invoicePayments.values()].filter((payment) => payment['payment_intent'] === intent))
  },
  'POST /v1/refunds': (state, _id, form) => {
    const charge = find(state.charges, textOf(form, 'charge') ?? '', 'charge')
    const total = Number(charge['amount'])
    const refunded = Number(charge['amount_refunded'])
    const amount = Number(textOf(form, 'amount') ?? total - refunded)
    if (refunded >= total) throw new StripeRefusal(400, 'Charge has been refunded.', 'charge_already_refunded')
    if (refunded + amount > total) throw new StripeRefusal(400, 'Refund amount is too large.', 'amount_too_large')
    const id = `re_${state.refunds.size + 1}`
    const status = charge['refund_status'] ?? 'succeeded'
    const refund = { id, object: 'refund', amount, currency: 'usd', status, charge: charge['id'] }
    state.refunds.set(id, refund)
    state.charges.set(String(charge['id']), { ...charge, amount_refunded: refunded + amount })
    return refund
  },
}

/** Carries a call out. Throws `StripeRefusal`. */
export function answerOf(state: StripeState, { method, path, form }: StripeCall): StripeObject {
  for (const [name, answer] of Object.entries(ANSWERS)) {
    const [verb, pattern = ''] = name.split(' ')
    const ids = new RegExp(`^${pattern.replaceAll('*', '([^/]+)')}$`).exec(path)
    if (verb !== method || ids === null) continue
    return answer(state, ids[1] ?? '', ids[2] === undefined ? form : { ...form, 'second id': ids[2] })
  }
  throw new StripeRefusal(404, `Unrecognized request URL (${method}: ${path}).`)
}

function refuseDeleted(state: StripeState, customerId: string | undefined): void {
  if (customerId === undefined || state.customers.get(customerId)?.['deleted'] !== true) return
  throw new StripeRefusal(400, `No such customer: '${customerId}'`, 'resource_missing', 'customer')
}

function find(objects: ReadonlyMap<string, StripeObject>, id: string, what: string): StripeObject {
  const found = objects.get(id)
  if (found === undefined) throw new StripeRefusal(404, `No such ${what}: '${id}'`, 'resource_missing')
  return found
}

function listOf(data: readonly StripeObject[]): StripeObject {
  return { object: 'list', data, has_more: false, url: '/v1/list' }
}
