import { setTimeout as sleep } from 'node:timers/promises'
import type { TemporalClient } from '../../../temporal/client.ts'
import { openPayments, QUICK_DUNNING } from '../../../test/support/stripe/paying.ts'
import { quickReconcile } from '../../../test/support/workflows/quick-reconcile.ts'
import { ROW_FAMILIES } from '../../../test/support/workflows/row-families/families.ts'
import {
  endRun,
  expectRunning,
  type Ending,
  type FamilyStage,
  type GivenRun,
} from '../../../test/support/workflows/row-families/family.ts'
import { behind } from '../../harness/behind.ts'
import { RAISED_LIMITS, type BenchService } from '../../harness/service.ts'
import { atLeast, atMost, type Attack } from '../attack.ts'

/** Tenants of each family for each ending of their runs. */
const TENANTS = 4
/** Rows are this old, so that the reconciler looks at them at once: longer than it waits between two looks at a row. */
const OLD_MS = 20 * 60_000
const FOUND_WITHIN_S = 40
const LIMITS = { ...RAISED_LIMITS, ...QUICK_DUNNING }

/** Work of a tenant whose run was ended, and the state that its rows must come to. */
interface LostWork {
  readonly name: string
  readonly expected: string
  readonly run: GivenRun
}

/**
 * Ends the runs of every family of workflows behind the service's back: cancelled and terminated in Temporal, and all at
 * once with Temporal's data. The work of each tenant must be found again from its rows.
 */
export const lostWorkflows: Attack = {
  name: 'lost-workflows',
  limits: LIMITS,
  async run(service, { env, stripe }) {
    const quick = { ...env, SVC_TEMPORAL_CONFIG: await quickReconcile(service.dataDir) }
    return await behind(service, async ({ server: { services }, temporal, start }) => {
      const now = () => new Date(Date.now() - OLD_MS)
      const payments = openPayments(() => ({ db: services.db, stripe }), now)
      const stage: FamilyStage = { ...payments, db: services.db, start, now, laterMs: OLD_MS }
      const work: LostWork[] = []
      const seconds: number[] = []
      for (const endings of [['cancelled', 'terminated'], ['lost']] as const) {
        const given: LostWork[] = []
        await service.restart({ limits: LIMITS, env: quick }, async () => {
          for (const ending of endings) given.push(...(await giveAll(stage, ending)))
          await endAll(service, temporal, given, endings)
        })
        work.push(...given)
        seconds.push(await untilFound(given))
      }
      const states = await Promise.all(work.map(async ({ run }) => await run.state()))
      const left = work.filter(({ expected }, i) => states[i] !== expected)
      for (const { name, expected } of left) console.log(`  ${name} is not ${expected}`)
      return [
        atMost('runs whose work was not found again', left.length),
        atLeast('runs ended', work.length, 150),
        atLeast('families of workflows', Object.keys(ROW_FAMILIES).length, 15),
        atMost('longest seconds until all work was done', Math.max(...seconds), FOUND_WITHIN_S),
      ]
    })
  },
}

async function giveAll(stage: FamilyStage, ending: Ending): Promise<readonly LostWork[]> {
  const given: LostWork[] = []
  for (const [family, { given: give, ends }] of Object.entries(ROW_FAMILIES)) {
    for (let i = 0; i < TENANTS; i++)
      given.push({ name: `${family}, ${ending}`, expected: ends[ending], run: await give(stage) })
  }
  return given
}

async function endAll(
  service: BenchService,
  temporal: TemporalClient,
  given: readonly LostWork[],
  endings: readonly Ending[],
): Promise<void> {
  for (const { run } of given) await expectRunning(temporal, run.workflowId)
  if (endings.includes('lost')) {
    await service.emptyTemporal()
    return
  }
  const each = given.length / endings.length
  await Promise.all(
    given.map(
      async ({ run }, i) => await endRun(temporal, endings[Math.floor(i / each)] ?? 'cancelled', run.workflowId),
    ),
  )
}

/** Waits until all work has come to its state, or the time is over; answers the seconds that it took. */
async function untilFound(work: readonly LostWork[]): Promise<number> {
  const startedAt = performance.now()
  let open = work
  for (;;) {
    const states = await Promise.all(open.map(async ({ run }) => await run.state()))
    open = open.filter(({ expected }, i) => states[i] !== expected)
    const seconds = (performance.now() - startedAt) / 1000
    if (open.length === 0 || seconds > FOUND_WITHIN_S) return seconds
    await sleep(500)
  }
}
