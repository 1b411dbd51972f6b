import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createStripeProcessor } from '../../../core/billing/stripe/stripe-processor.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { listAudit } from '../../../db/ledger/audit/list-audit.ts'
import { findBillingAccount, openDunnings } from '../../../db/billing/account/find-account.ts'
import { updateTax } from '../../../db/billing/account/update-tax.ts'
import { recordEvent } from '../../../db/billing/across/record-event.ts'
import { cancelPlan } from '../../../db/billing/subscriptions/cancel-plan.ts'
import { changeToFree } from '../../../db/billing/subscriptions/change-plan.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenTenant } from '../../support/db/given.ts'
import { useFakeStripe } from '../../support/stripe/fake.ts'
import {
  eventOf,
  invoiceObject,
  PRICES,
  signedEvent,
  stripeSettings,
  subscriptionObject,
  type StripeEvent,
} from '../../support/stripe/objects.ts'
import { startWorkerProcess, type WorkerProcess } from '../../workers/worker-process.ts'
import { missWorker } from '../../support/workflows/miss-worker.ts'
import { useService } from '../../support/workflows/service.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** Seconds until the first moment that a test waits for; see `aheadOf`. */
const AHEAD_S = 5
/** Milliseconds that the rest of a test needs between its preparation and the moment. */
const MARGIN_MS = 1000
const DAY_S = 86_400
const limits = DEFAULT_LIMITS

describe('billing, with workers that are killed', function () {
  // Processes have to start, and Temporal misses a dead one only when its heartbeats are late.
  this.timeout(240_000)
  const stripe = useFakeStripe()
  const service = useService({ withWorkers: false })
  const started: WorkerProcess[] = []
  after(async () => {
    for (const worker of started) if (worker.child.exitCode === null) await worker.end('SIGKILL')
  })

  const startWorker = async (): Promise<WorkerProcess> => {
    const { secretKey = '', webhookSecret = '' } = stripeSettings(stripe.url)
    const worker = startWorkerProcess({
      DATABASE_URL: service.database.url,
      TEMPORAL_ADDRESS: service.temporalAddress,
      TEMPORAL_NAMESPACE: service.temporal.namespace,
      SVC_MASTER_KEY: service.database.masterKey.toString('hex'),
      SVC_COMPUTE_THREADS: '1',
      SVC_STRIPE_SECRET_KEY: secretKey,
      SVC_STRIPE_WEBHOOK_SECRET: webhookSecret,
      SVC_STRIPE_PRICES: JSON.stringify(PRICES),
      SVC_STRIPE_API_URL: stripe.url,
    })
    started.push(worker)
    await worker.ready
    return worker
  }
  const runningWorker = async (): Promise<WorkerProcess> =>
    started.find(({ child }) => child.exitCode === null && child.signalCode === null) ?? (await startWorker())
  const nowS = () => Math.floor(Date.now() / 1000)
  /**
   * Prepares for a moment that lies some seconds ahead, given in seconds, and does it again for one further ahead when a
   * busy machine was not ready before it.
   */
  const aheadOf = async <T>(prepare: (momentS: number) => Promise<T>) => {
    for (let aheadS = AHEAD_S; ; aheadS *= 2) {
      const momentS = nowS() + aheadS
      const prepared = await prepare(momentS)
      if (Date.now() < momentS * 1000 - MARGIN_MS) return { momentS, ...prepared }
    }
  }
  const tell = async (op: Operation, event: StripeEvent): Promise<void> => {
    const at = new Date()
    const { payload, header } = signedEvent(event, at)
    const processor = createStripeProcessor(stripeSettings(stripe.url), { toleranceS: 300 })
    const by = { requestId: newId('req'), now: at, limits, isLivemode: false }
    const { outcome } = await recordEvent(op.db, processor.readEvent(Buffer.from(payload), header, at), by)
    expect(outcome).to.equal('applied')
  }
  let serial = 0
  /** A tenant that pays for pro until a time. */
  const givenPaying = async (periodEnd: number) => {
    const { op } = await givenTenant(service.database.db)
    const n = ++serial
    const ids = { tenantId: op.tenantId, customerId: `cus_f${n}`, subscriptionId: `sub_f${n}` }
    const created = nowS() - 30 * DAY_S
    const subscription = subscriptionObject({ ...ids, id: ids.subscriptionId, plan: 'pro', created, periodEnd })
    stripe.state.subscriptions.set(ids.subscriptionId, subscription)
    stripe.state.customers.set(ids.customerId, { id: ids.customerId, object: 'customer' })
    await tell(op, eventOf(`evt_f${n}`, 'customer.subscription.created', created, subscription))
    await tell(op, eventOf(`evt_p${n}`, 'invoice.paid', created, invoiceObject({ ...ids, id: `in_p${n}`, created })))
    return { op, ...ids }
  }
  const planChanges = async (op: Operation): Promise<readonly unknown[]> =>
    (await listAudit(op, { limit: 100 })).items
      .filter(({ action }) => action === 'billing.plan_changed')
      .map(({ payload }) => payload['to'])
      .toReversed()
  const resultOf = async (workflowId: string): Promise<unknown> =>
    await service.temporal.client.workflow.getHandle(workflowId).result()
  const hasTimer = async (workflowId: string): Promise<boolean> => {
    const { events } = await service.temporal.client.workflow.getHandle(workflowId).fetchHistory()
    return (events ?? []).some((event) => Boolean(event.timerStartedEventAttributes))
  }
  const untilTimer = async (workflowId: string, momentS: number): Promise<void> => {
    while (nowS() < momentS && !(await hasTimer(workflowId))) await sleep(50)
  }

  it('notifies the processor once of each change, although two workers die during its calls', async () => {
    const { op, subscriptionId, customerId } = await givenPaying(nowS() + DAY_S)
    const workflowId = `${op.tenantId}/billing`
    const first = await startWorker()
    const ended = stripe.neverAnswer('DELETE', subscriptionId)
    await updateTax(op, { companyName: 'Example GmbH', vatNumber: 'DE123456789' })
    await changeToFree(op, { limits })
    await service.deps.workflows.start(workflowId)
    await ended
    await first.end('SIGKILL')
    await missWorker(service.temporal, workflowId)

    const taxed = stripe.neverAnswer('POST', '/tax_ids')
    const second = await startWorker()
    await taxed
    await second.end('SIGKILL')
    await missWorker(service.temporal, workflowId)

    const third = await startWorker()
    expect(await resultOf(workflowId)).to.deep.equal({ state: 'idle' })
    expect(third.child.exitCode).to.equal(null)
    expect(stripe.state.subscriptions.get(subscriptionId)).to.include({ status: 'canceled' })
    const ends = stripe.calls.filter(({ method, path }) => method === 'DELETE' && path.endsWith(subscriptionId))
    expect(ends).to.have.length(1)
    const numbers = [...stripe.state.taxIds.values()].filter(({ customer }) => customer === customerId)
    expect(numbers.map(({ value }) => value)).to.deep.equal(['DE123456789'])
    expect(stripe.state.customers.get(customerId)).to.include({ name: 'Example GmbH' })
    expect(await planChanges(op)).to.deep.equal(['pro', 'free'])
  })

  it('ends a paid period and suspends an unpaid plan, each once, although the worker that waited for both is dead by then', async () => {
    const first = await runningWorker()
    const { cancelled, unpaid, momentS } = await aheadOf(async (at) => ({
      cancelled: await givenCancelled(at),
      unpaid: await givenUnpaid(at),
    }))
    await first.end('SIGKILL')
    expect(await openDunnings(unpaid.op)).to.have.nested.property('[0].attempt', 2)
    await sleep(Math.max(0, momentS * 1000 - Date.now()))
    // No worker ran when the period and the last step of dunning ended.
    expect(await findBillingAccount(cancelled.op)).to.include({ plan: 'pro' })
    expect(await findBillingAccount(unpaid.op)).to.include({ plan: 'pro', billingStatus: 'past_due' })
    const second = await startWorker()
    expect(await resultOf(cancelled.workflowId)).to.deep.equal({ state: 'idle' })
    expect(await findBillingAccount(cancelled.op)).to.include({ plan: 'free', billingStatus: 'cancelled' })
    expect(await planChanges(cancelled.op)).to.deep.equal(['pro', 'free'])

    expect(await resultOf(unpaid.workflowId)).to.deep.equal({ state: 'suspended' })
    expect(await second.end('SIGTERM')).to.deep.equal({ code: 0, signal: null })
    expect(await findBillingAccount(unpaid.op)).to.include({ plan: 'free', billingStatus: 'suspended' })
    expect(await planChanges(unpaid.op)).to.deep.equal(['pro', 'free'])
    const mails = await sendSql<{ template: string }>(
      service.database.db,
      `select template from mails where tenant_id = $1 and template <> 'plan_changed' order by created_at, id`,
      [unpaid.op.tenantId],
    )
    // The two reminders that were due at once are one mail.
    expect(mails.map(({ template }) => template)).to.deep.equal(['payment_failed', 'suspended'])
    for (const worker of started) expect(worker.output()).to.not.match(/sk_test|whsec/)
  })

  /** A tenant that has given its plan up, and whose workflow waits for the end of the paid period. */
  async function givenCancelled(periodEnd: number) {
    const { op, subscriptionId } = await givenPaying(periodEnd)
    const workflowId = `${op.tenantId}/billing`
    await cancelPlan(op, { limits })
    await service.deps.workflows.start(workflowId)
    const isTold = () => stripe.state.subscriptions.get(subscriptionId)?.['cancel_at_period_end'] === true
    while (!isTold()) await sleep(50)
    await untilTimer(workflowId, periodEnd)
    return { op, workflowId }
  }

  /** A tenant that does not pay, and whose workflow waits for the last step of dunning. */
  async function givenUnpaid(suspendedAt: number) {
    const { op, ...ids } = await givenPaying(nowS() + DAY_S)
    const steps = limits.dunning_days_1 + limits.dunning_days_2 + limits.dunning_days_3
    const failedAt = suspendedAt - steps * DAY_S
    const change = { status: 'open', amount_paid: 0 }
    const invoice = invoiceObject({ ...ids, id: `in_f${serial}`, created: failedAt, change })
    await tell(op, eventOf(`evt_failed${serial}`, 'invoice.payment_failed', failedAt, invoice))
    const workflowId = (await openDunnings(op))[0]?.id ?? ''
    await service.deps.workflows.start(workflowId)
    await untilTimer(workflowId, suspendedAt)
    return { op, workflowId }
  }
})
