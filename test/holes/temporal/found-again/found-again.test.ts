import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createStripeProcessor } from '../../../../core/billing/stripe/stripe-processor.ts'
import { createMailer } from '../../../../core/accounts/mail/create-mailer.ts'
import { loadTemporalYaml } from '../../../../config/temporal-yaml.ts'
import { restoreTemporalYaml } from '../../../../temporal/apply.ts'
import { findRun } from '../../../../temporal/runs.ts'
import type { WorkerDeps } from '../../../../workers/deps.ts'
import { FAMILIES } from '../../../../core/workflows.ts'
import { Reconcile } from '../../../../core/overview/workflows.ts'
import * as workflows from '../../../../workflows/index.ts'
import { useMailServer } from '../../../support/mail/smtp.ts'
import { stripeSettings } from '../../../support/stripe/objects.ts'
import { useBillingService } from '../../../billing/workflows/billing-service.ts'
import { QUICK } from '../../../support/stripe/paying.ts'
import {
  CHILD_FAMILIES,
  EARLIER_FAMILIES,
  ROW_FAMILIES,
  SCHEDULED_FAMILIES,
} from '../../../support/workflows/row-families/families.ts'
import { endRun, ENDINGS, expectRunning, type GivenRun } from '../../../support/workflows/row-families/family.ts'
import { startWorkersOf } from './workers.ts'

const SCHEDULES = loadTemporalYaml(fileURLToPath(new URL('../../../../temporal.yaml', import.meta.url)))

/** Milliseconds until the reconciler looks at the rows: everything that was given is due by then. */
const LATER_MS = 4 * 86_400_000

/** Looks at a schedule or at the work of a run before the next tick: one tick finds the work of all families again. */
const LOOKS_PER_TICK = 10

describe('the work of a workflow', function () {
  this.timeout(180_000)

  it('is found again from its rows or by its schedule, for every workflow there is', () => {
    const known = [
      ...Object.keys(ROW_FAMILIES),
      ...Object.values(SCHEDULED_FAMILIES),
      ...EARLIER_FAMILIES,
      ...CHILD_FAMILIES,
    ]
    expect(Object.keys(workflows)).to.have.members(known)
    expect(FAMILIES.map(({ name }) => name)).to.have.members(known)
  })

  for (const ending of ENDINGS) {
    describe(`whose run was ${ending}`, () => {
      const mails = useMailServer()
      const billing = useBillingService({ withWorkers: false })
      const { service, stripe } = billing
      const runs = new Map<string, GivenRun>()
      const closers: (() => Promise<void>)[] = []
      let isLater = false

      const depsOf = (): WorkerDeps => ({
        ...service.deps,
        limits: QUICK,
        mailer: createMailer({ smtpUrl: mails.current.smtpUrl, from: 'Service <no-reply@service.test>' }),
        processor: createStripeProcessor(stripeSettings(stripe.url), { toleranceS: 300 }),
        publicUrl: 'https://service.test',
        now: () => new Date(Date.now() + (isLater ? LATER_MS : 0)),
      })
      const reconcile = async (): Promise<void> => {
        await service.temporal.client.workflow.execute(Reconcile.name, {
          workflowId: 'one-tick',
          taskQueue: 'io',
          args: [],
        })
      }

      before(async () => {
        const stage = {
          ...billing,
          db: service.database.db,
          now: () => new Date(),
          laterMs: LATER_MS,
        }
        for (const [family, { given }] of Object.entries(ROW_FAMILIES)) runs.set(family, await given(stage))
        const { temporal } = service
        for (const { workflowId } of runs.values()) {
          await expectRunning(temporal, workflowId)
          await endRun(temporal, ending, workflowId)
        }
        const workers = await startWorkersOf(service, depsOf())
        closers.push(() => workers.stop())
        // A cancelled run ends when a worker has delivered the cancellation to its code.
        for (const { workflowId } of runs.values()) await untilOver(workflowId)
        isLater = true
      })
      after(async () => {
        for (const close of closers.toReversed()) await close()
      })

      const untilOver = async (workflowId: string): Promise<void> => {
        const expected = ending === 'lost' ? 'missing' : ending
        for (;;) {
          const state = await findRun(service.temporal, workflowId)
          if (state === expected) return
          expect(state, workflowId).to.equal('running')
          await sleep(50)
        }
      }

      for (const [family, { ends }] of Object.entries(ROW_FAMILIES)) {
        it(`is done for ${family}: ${ends[ending]}`, async () => {
          const run = runs.get(family)
          for (let looks = 0; (await run?.state()) !== ends[ending]; looks++) {
            if (looks % LOOKS_PER_TICK === 0) await reconcile()
            await sleep(50)
          }
        })
      }

      for (const [family, type] of Object.entries(SCHEDULED_FAMILIES)) {
        it(`is done by the next tick of ${family}`, async () => {
          const { temporal } = service
          const declared = SCHEDULES.schedules[family]
          expect(declared?.workflow).to.equal(type)
          if (declared === undefined) return
          // Far apart, so that this test ticks by itself.
          const file = { ...SCHEDULES, schedules: { [family]: { ...declared, every: 86_400_000 } } }
          const tick = async (): Promise<void> => await temporal.client.schedule.getHandle(family).trigger()
          // A schedule learns of a run's end some time after it, and skips what it is asked for until then.
          const runOf = async (isOther: (runId: string) => boolean) => {
            for (let looks = 0; ; looks++) {
              if (looks % LOOKS_PER_TICK === 0) await tick()
              const { recentActions } = (await temporal.client.schedule.getHandle(family).describe()).info
              const found = recentActions
                .map(({ action }) => action.workflow)
                .findLast((each) => isOther(each.firstExecutionRunId))
              if (found !== undefined) return found
              await sleep(200)
            }
          }
          expect(await restoreTemporalYaml(temporal, file)).to.deep.equal([family])
          const first = await runOf(() => true)
          const handle = temporal.client.workflow.getHandle(first.workflowId)
          // The run may be over before it is ended: the tick after it counts.
          if (ending === 'cancelled') await handle.cancel().catch(() => undefined)
          if (ending === 'terminated') await handle.terminate('a test').catch(() => undefined)
          if (ending === 'lost') {
            await temporal.client.schedule.getHandle(family).delete()
            expect(await restoreTemporalYaml(temporal, file)).to.deep.equal([family])
          }
          expect(await restoreTemporalYaml(temporal, file)).to.deep.equal([])
          await handle.result().catch(() => undefined)
          const next = await runOf((runId) => runId !== first.firstExecutionRunId)
          await temporal.client.workflow.getHandle(next.workflowId, next.firstExecutionRunId).result()
        })
      }
    })
  }
})
