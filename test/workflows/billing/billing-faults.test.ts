import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pokeSoon } from '../../../activities/poke-workflow.ts'
import { createStripeProcessor } from '../../../core/billing/stripe-processor.ts'
import { newId } from '../../../core/ids.ts'
import { cancelPlan } from '../../../db/billing/cancel-plan.ts'
import { findBillingAccount } from '../../../db/billing/find-account.ts'
import { recordEvent } from '../../../db/billing/record-event.ts'
import { listAudit } from '../../../db/audit/list-audit.ts'
import { startWorkers, type RunningWorkers } from '../../../workers/start-workers.ts'
import { givenTenant, limits } from '../../db/given.ts'
import { useFakeStripe } from '../../support/stripe/fake.ts'
import { eventOf, signedEvent, stripeSettings, subscriptionObject } from '../../support/stripe/objects.ts'
import { testLog } from '../quiet-runtime.ts'
import { TEMPORAL_YAML, useService } from '../service.ts'

/** Long enough for a busy machine to reach the processor and to stop a worker, seconds. */
const PERIOD_S = 25

describe('the end of a paid period', () => {
  const stripe = useFakeStripe()
  const service = useService({ withWorkers: false })
  const working: RunningWorkers[] = []
  after(async () => {
    for (const workers of working) await workers.stop()
  })

  it('comes once, although the workers that waited for it are gone', async function () {
    this.timeout(180_000)
    const processor = createStripeProcessor(stripeSettings(stripe.url), { toleranceS: 300 })
    const start = async (): Promise<RunningWorkers> => {
      const workers = await startWorkers(
        {
          environment: {
            temporalAddress: service.temporalAddress,
            computeThreads: 1,
            dataDir: join(tmpdir(), 'svc-test-bundles'),
          },
          namespace: service.temporal.namespace,
          queues: TEMPORAL_YAML.queues,
          deps: { ...service.deps, processor },
          log: testLog(),
        },
        new AbortController().signal,
      )
      working.push(workers)
      return workers
    }
    const first = await start()
    const { op } = await givenTenant(service.database.db)
    const now = Math.floor(Date.now() / 1000)
    const subscription = subscriptionObject({
      id: 'sub_f',
      customerId: 'cus_f',
      tenantId: op.tenantId,
      plan: 'pro',
      created: now - 100,
      periodEnd: now + PERIOD_S,
    })
    stripe.state.subscriptions.set('sub_f', subscription)
    const { payload, header } = signedEvent(
      eventOf('evt_f', 'customer.subscription.created', now - 100, subscription),
      new Date(),
    )
    const event = processor.readEvent(Buffer.from(payload), header, new Date())
    const by = { requestId: newId('req'), now: new Date(), limits: limits(), isLivemode: false }
    expect(await recordEvent(op.db, event, by)).to.include({ outcome: 'applied' })
    await cancelPlan(op, { limits: limits() })
    const workflowId = `${op.tenantId}/billing`
    await pokeSoon(service.deps, workflowId)
    const told = () => stripe.calls.some(({ method, path }) => method === 'POST' && path.endsWith('sub_f'))
    while (!told()) await sleep(100)
    await first.stop()
    expect(await findBillingAccount(op)).to.include({ plan: 'pro' })
    await sleep(Math.max(0, (now + PERIOD_S) * 1000 - Date.now()))
    // Nobody was there when the period ended.
    expect(await findBillingAccount(op)).to.include({ plan: 'pro' })
    await start()
    expect(await service.temporal.client.workflow.getHandle(workflowId).result()).to.deep.equal({ state: 'idle' })
    expect(await findBillingAccount(op)).to.include({ plan: 'free', billingStatus: 'cancelled' })
    const { items } = await listAudit(op, { limit: 100 })
    const flips = items.filter(
      ({ action, payload: body }) => action === 'billing.plan_changed' && body['to'] === 'free',
    )
    expect(flips).to.have.length(1)
  })
})
