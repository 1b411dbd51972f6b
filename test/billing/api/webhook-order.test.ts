import { expect } from 'chai'
import type Stripe from 'stripe'
import { PLAN_IDS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import { givenApiTenant, type ApiTenant } from '../../support/api.ts'
import {
  checkoutObject,
  customerObject,
  eventOf,
  invoiceObject,
  refundObject,
  subscriptionObject,
  type StripeEvent,
  type StripeObject,
} from '../../support/stripe/objects.ts'
import { useBilling } from './use-billing.ts'
import { sendSql } from '../../support/db/send-sql.ts'

const TENANTS = 10
const COPIES = 4
const IN_FLIGHT = 8
const DAY = 86_400
const SEEDS = [1]

/** Mulberry32, a small generator of numbers below 1 from a seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

const PAID = PLAN_IDS.filter((plan) => plan !== 'free')

/** The 25 events of a customer's year: bought, refunded, renewed, failed, recovered, changed, cancelled, in some variation. */
function lifeOf(tenant: ApiTenant, index: number, start: number): readonly StripeEvent[] {
  const plan = PAID[index % PAID.length] ?? 'pro'
  const next: Exclude<PlanId, 'free'> = PAID[(index + 2) % PAID.length] ?? 'starter'
  const isLink = index % 3 === 2
  const customerId = `cus_${index}`
  const events: StripeEvent[] = []
  let at = start
  const tell = (type: Stripe.Event.Type, object: StripeObject, sameSecond = false) => {
    if (!sameSecond) at += 60
    events.push(eventOf(`evt_${index}_${String(99 - events.length)}`, type, at, object))
  }
  const tenantId = isLink ? undefined : tenant.id
  const named = tenantId === undefined ? {} : { tenantId }
  const subscribed = (id: string, which: typeof plan, created: number, status: string, more: StripeObject = {}) =>
    subscriptionObject({
      ...named,
      id,
      customerId,
      plan: which,
      created,
      periodEnd: created + 400 * DAY,
      change: { status, ...more },
    })
  const invoice = (id: string, subscriptionId: string, change: StripeObject = {}) =>
    invoiceObject({ ...named, id, customerId, subscriptionId, created: at, change })
  const buy = (n: number, which: typeof plan) => {
    const subscriptionId = `sub_${index}_${n}`
    const created = at
    const session = (change: StripeObject) =>
      checkoutObject({
        id: `cs_${index}_${n}`,
        tenantId: tenant.id,
        customerId,
        subscriptionId,
        plan: which,
        created,
        change: { ...(isLink && { payment_link: 'plink_1', metadata: {} }), ...change },
      })
    tell('customer.subscription.created', subscribed(subscriptionId, which, created, 'incomplete'))
    tell(
      'invoice.payment_failed',
      invoice(`in_${index}_${n}_0`, subscriptionId, { status: 'open', amount_paid: 0 }),
      true,
    )
    tell('invoice.paid', invoice(`in_${index}_${n}_0`, subscriptionId))
    tell('customer.subscription.updated', subscribed(subscriptionId, which, created, 'active'), true)
    tell('checkout.session.completed', session({ payment_status: index % 4 === 1 ? 'unpaid' : 'paid' }), true)
    if (index % 4 === 1) tell('checkout.session.async_payment_succeeded', session({}))
    return { subscriptionId, created }
  }

  const first = buy(1, plan)
  tell('customer.updated', customerObject(customerId, 0))
  const refund = (change: StripeObject) =>
    refundObject({ id: `re_${index}`, customerId, amount: 100 + index, created: first.created + 600, change })
  tell('refund.created', refund({ status: 'pending' }))
  tell('refund.updated', refund({}), true)
  if (index % 3 !== 1) tell('refund.failed', refund({ status: 'failed' }))
  at += 30 * DAY
  const renewal = `in_${index}_r`
  tell('invoice.payment_failed', invoice(renewal, first.subscriptionId, { status: 'open', amount_paid: 0 }))
  tell('customer.subscription.updated', subscribed(first.subscriptionId, plan, first.created, 'past_due'), true)
  at += 2 * DAY
  tell('invoice.payment_failed', invoice(renewal, first.subscriptionId, { status: 'open', amount_paid: 0 }))
  if (index % 5 !== 4) {
    tell('invoice.paid', invoice(renewal, first.subscriptionId))
    tell('invoice.payment_succeeded', invoice(renewal, first.subscriptionId), true)
    tell('customer.subscription.updated', subscribed(first.subscriptionId, plan, first.created, 'active'), true)
  }
  at += 5 * DAY
  if (index % 2 === 0) {
    const second = buy(2, next)
    tell('customer.subscription.deleted', subscribed(first.subscriptionId, plan, first.created, 'canceled'))
    tell('customer.updated', customerObject(customerId, -1234), true)
    at += 30 * DAY
    tell('invoice.paid', invoice(`in_${index}_s`, second.subscriptionId))
    if (index % 4 === 0) {
      const end = { cancel_at_period_end: true }
      tell('customer.subscription.updated', subscribed(second.subscriptionId, next, second.created, 'active', end))
    }
  }
  // Noise up to 25: types that are ignored, the other mode, another currency.
  while (events.length < 25) {
    if (events.length % 3 === 0) tell('product.updated', { id: 'prod_1', object: 'product' })
    else tell('invoice.paid', invoice(`in_${index}_x${events.length}`, first.subscriptionId, { currency: 'jpy' }))
  }
  return events.slice(0, 25)
}

describe('1,000 deliveries, shuffled and duplicated', () => {
  const { api, deliver } = useBilling()
  const tables = ['dunnings', 'invoices', 'subscriptions', 'checkout_sessions', 'billing_accounts', 'payment_events']
  const db = () => api.server.services.db

  const clear = async () => {
    await sendSql(db(), `truncate ${tables.join(', ')}`)
    await sendSql(db(), `update tenants set plan = 'free', billing_status = 'free', pending_plan = null`)
  }
  /** Everything that billing holds, without what is random or tells when it came. */
  const dump = async () => {
    const state: Record<string, readonly string[]> = {}
    for (const table of tables) {
      const id = table === 'dunnings' ? `- 'id'` : ''
      // When an event was refused is random as well, but not whether it still is.
      const refused =
        table === 'payment_events' ? `- 'refused_at' || jsonb_build_object('is_refused', refused_at is not null)` : ''
      const rows = await sendSql<{ row: unknown }>(
        db(),
        `select to_jsonb(t) - 'updated_at' - 'received_at' - 'look_at' ${id} ${refused} as row from ${table} t`,
      )
      state[table] = rows.map(({ row }) => JSON.stringify(row)).toSorted()
    }
    const tenants = await sendSql(db(), 'select id, plan, billing_status, pending_plan from tenants order by id')
    state['tenants'] = tenants.map((row) => JSON.stringify(row))
    return state
  }
  const deliverAll = async (events: readonly StripeEvent[], inFlight: number) => {
    const queue = [...events]
    const statuses = new Set<number>()
    const work = async () => {
      for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
        statuses.add((await deliver(event)).status)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, work))
    expect([...statuses]).to.deep.equal([200])
  }

  it('end in the same state as in order', async function () {
    this.timeout(600_000)
    const tenants: ApiTenant[] = []
    for (let index = 0; index < TENANTS; index++) tenants.push(await givenApiTenant(api))
    const start = Math.floor(Date.now() / 1000) - 200 * DAY
    const lives = tenants.flatMap((tenant, index) => lifeOf(tenant, index, start))
    expect(lives).to.have.length(250)
    const inOrder = lives.toSorted((one, other) => one.created - other.created)
    await deliverAll(inOrder, 1)
    const expected = await dump()
    expect(expected['dunnings']).to.have.length.greaterThan(TENANTS)
    const refunds = (expected['invoices'] ?? []).filter((row) => row.includes('"kind":"refund"'))
    expect(refunds).to.have.length(TENANTS)
    const plans = new Set((expected['tenants'] ?? []).flatMap((row) => row.match(/"plan":"\w+"/) ?? []))
    expect(plans.size).to.be.greaterThan(3)
    for (const seed of SEEDS) {
      await clear()
      const deliveries = Array.from({ length: COPIES }, () => lives).flat()
      await deliverAll(shuffled(deliveries, generator(seed)), IN_FLIGHT)
      const state = await dump()
      for (const [table, rows] of Object.entries(expected)) {
        const held = state[table] ?? []
        // Only what differs: a message with all rows would be cut off.
        const missing = rows.filter((row) => !held.includes(row))
        const extra = held.filter((row) => !rows.includes(row))
        expect({ missing, extra }, `${table} of seed ${seed}`).to.deep.equal({ missing: [], extra: [] })
      }
    }
  })
})
