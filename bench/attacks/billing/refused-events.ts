import { givenApiTenant, type ApiTenant } from '../../../test/support/api.ts'
import { signedEvent, type StripeEvent } from '../../../test/support/stripe/objects.ts'
import { purchaseOf } from '../../../test/support/stripe/purchase.ts'
import { behind, type Behind } from '../../harness/behind.ts'
import { ROOM } from '../../harness/service.ts'
import { BENCH_ADMIN_KEY } from '../../harness/surroundings.ts'
import { atLeast, atMost, type Attack } from '../attack.ts'

const TENANTS = 36
/** Deliveries of each event before the settings are mended, and deliveries of one at once after it. */
const DELIVERIES = 3
/** Ways in which an event comes again: by the processor, by a call of the operator, or by both at once. */
const WAYS = ['delivery', 'retry', 'both'] as const
const ADMIN = { 'x-admin-key': BENCH_ADMIN_KEY }

/** A purchase that was paid and whose events were refused. */
interface RefusedPurchase {
  readonly tenant: ApiTenant
  readonly events: readonly StripeEvent[]
  readonly way: (typeof WAYS)[number]
}

/**
 * Delivers paid purchases to a service whose key of the processor is of the other mode, mends the key, and has the events
 * come again: delivered several times at once, retried by the operator, and both.
 */
export const refusedEvents: Attack = {
  name: 'refused-events',
  limits: ROOM,
  async run(service, { env }) {
    await service.restart({ limits: ROOM, env: { ...env, SVC_STRIPE_SECRET_KEY: 'sk_live_0123456789abcdef' } })
    return await behind(service, async (api) => {
      const purchases = await Promise.all(Array.from({ length: TENANTS }, async (_, i) => await givenPurchase(api, i)))
      const outcomes = await inTurn(purchases, async ({ events }) => await deliverAll(api, events, DELIVERIES))
      await service.restart({ limits: ROOM, env })
      const known = await refusedCount(api)
      const delivered = purchases.filter(({ way }) => way !== 'retry')
      const retries = async () =>
        await Promise.all(
          Array.from({ length: DELIVERIES }, async () => {
            return (await api.call('POST', '/v1/admin/billing/retry', { headers: ADMIN, body: {} })).status
          }),
        )
      await inTurn(
        delivered.filter(({ way }) => way === 'delivery'),
        async ({ events }) => await deliverAll(api, events, DELIVERIES),
      )
      const [statuses] = await Promise.all([
        retries(),
        inTurn(
          delivered.filter(({ way }) => way === 'both'),
          async ({ events }) => await deliverAll(api, events, DELIVERIES),
        ),
      ])
      const effects = await Promise.all(purchases.map(async (purchase) => await effectsOf(api, purchase)))
      const events = purchases.flatMap((purchase) => purchase.events).length
      return [
        atLeast('deliveries while the settings were wrong', outcomes.length, events * DELIVERIES),
        atMost('of these, not refused', outcomes.filter((outcome) => outcome !== 'livemode_mismatch').length),
        atMost('refused events that the operator does not see', Math.max(0, events - known)),
        atMost('retries of the operator that failed', statuses.filter((status) => status !== 200).length),
        atMost('paid tenants without their plan after it', effects.filter(({ plan }) => plan !== 'pro').length),
        atMost(
          'events without exactly one effect',
          effects.reduce((sum, { wrong }) => sum + wrong, 0),
        ),
        atMost('events still refused', await refusedCount(api)),
      ]
    })
  },
}

async function givenPurchase(api: Behind, place: number): Promise<RefusedPurchase> {
  const tenant = await givenApiTenant(api)
  const { completed, active } = purchaseOf(tenant.id)
  return { tenant, events: [completed, active], way: WAYS[place % WAYS.length] ?? 'both' }
}

async function inTurn<T>(
  purchases: readonly RefusedPurchase[],
  work: (purchase: RefusedPurchase) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const results: T[] = []
  for (const purchase of purchases) results.push(...(await work(purchase)))
  return results
}

/** Delivers each event so many times at once; answers the outcomes. */
async function deliverAll(api: Behind, events: readonly StripeEvent[], times: number): Promise<readonly string[]> {
  return await Promise.all(
    events.flatMap((event) =>
      Array.from({ length: times }, async () => {
        const { payload, header } = signedEvent(event, new Date())
        const headers = { 'stripe-signature': header }
        return String((await api.call('POST', '/v1/webhooks/stripe', { raw: payload, headers })).body.outcome)
      }),
    ),
  )
}

async function refusedCount(api: Behind): Promise<number> {
  return Number((await api.call('GET', '/v1/admin/diagnostics', { headers: ADMIN })).body.payment_events.refused)
}

/** The plan of a tenant, and how many of its events have not exactly one line in its audit log. */
async function effectsOf(api: Behind, { tenant, events }: RefusedPurchase) {
  const { body } = await api.call('GET', '/v1/account/billing', { key: tenant.key })
  const { text } = await api.call('GET', '/v1/account/audit-log?format=csv', { key: tenant.key })
  const lines = text.split('\n').filter((line) => line.includes('billing.payment_event'))
  const wrong = events.filter(({ id }) => lines.filter((line) => new RegExp(`\\b${id}\\b`).test(line)).length !== 1)
  return { plan: String(body.plan.id), wrong: wrong.length }
}
