import { NativeConnection, Worker } from '@temporalio/worker'
import { expect } from 'chai'
import { listChores, type Chore } from '../../../activities/kernel/chores/chore.ts'
import { runChore } from '../../../activities/kernel/chores/run-chore.ts'
import { Housekeeping, Reconcile } from '../../../core/overview/workflows.ts'
import { testBundle } from '../../support/workflows/bundle.ts'
import { testLog } from '../../support/workflows/quiet-runtime.ts'
import { useService } from '../../support/workflows/service.ts'

/** Time after which a chore without progress is given up, seconds. */
const STILL_S = 5
/** A chore that takes twice as long reports progress ten times within it. */
const STEPS = 20

describe('chores of a tick', function () {
  this.timeout(120_000)
  const service = useService({ withWorkers: false })
  const runs: { readonly name: string; readonly at: number }[] = []
  const chore = (name: string, run: Chore<object>['run']): Chore<object> => ({
    name,
    summary: `Do ${name}`,
    stillS: STILL_S,
    run: async (deps, activity) => {
      runs.push({ name, at: performance.now() })
      return await run(deps, activity)
    },
  })
  const never = async (): Promise<never> => await new Promise<never>(() => undefined)
  const healthy = ['one', 'two', 'three', 'four', 'five'].map((name) => chore(name, async () => ({ done: 1 })))
  const attemptsOf = (name: string): number => runs.filter((run) => run.name === name).length

  /** Runs a workflow over these chores. */
  async function tick(type: string, chores: readonly Chore<object>[]): Promise<unknown> {
    runs.length = 0
    const log = testLog()
    const connection = await NativeConnection.connect({ address: service.temporalAddress })
    const workflowBundle = await testBundle()
    const list = async () => listChores(chores)
    const run = async (name: string) => await runChore({ log }, chores, name)
    const worker = await Worker.create({
      connection,
      namespace: service.temporal.namespace,
      taskQueue: 'io',
      workflowBundle,
      activities: { listFamilies: list, reconcileFamily: run, listSweeps: list, sweep: run },
    })
    const running = worker.run()
    try {
      return await service.temporal.client.workflow.execute(type, {
        workflowId: `${type}-apart-${runs.length}-${Date.now()}`,
        taskQueue: 'io',
        args: [],
      })
    } finally {
      worker.shutdown()
      await running
      await connection.close()
    }
  }

  for (const { name: type } of [Reconcile, Housekeeping]) {
    it(`are all done by ${type} although one throws and one hangs`, async () => {
      const chores = [chore('hangs', never), chore('throws', () => Promise.reject(new Error('a bug'))), ...healthy]
      const failure: unknown = await tick(type, chores).catch((error: unknown) => error)
      expect(failure).to.have.nested.property('cause.type', 'internal')
      expect(failure)
        .to.have.nested.property('cause.message')
        .that.matches(/^2 of 7 chores failed: (hangs, throws|throws, hangs);/)
      expect(failure)
        .to.have.nested.property('cause.details')
        .that.deep.equals([Object.fromEntries(healthy.map(({ name }) => [name, { done: 1 }]))])
      for (const { name } of healthy) expect(attemptsOf(name), name).to.equal(1)
      const hungAt = runs.filter(({ name }) => name === 'hangs')[1]?.at ?? 0
      for (const { name, at } of runs.filter((run) => run.name !== 'hangs')) {
        expect(at, `${name} was not held up by the chore that hangs`).to.be.lessThan(hungAt)
      }
      expect([attemptsOf('throws'), attemptsOf('hangs')]).to.deep.equal([2, 2])
    })
  }

  it('are tried again when they stood still, and not while they make progress', async () => {
    let hung = false
    const report = await tick(Reconcile.name, [
      chore('hangs-once', async () => {
        if (hung) return { done: 1 }
        hung = true
        return await never()
      }),
      chore('slow', async (_, { progress }) => {
        for (let step = 0; step < STEPS; step++) {
          await new Promise((resolve) => setTimeout(resolve, (STILL_S * 1000) / 10))
          progress()
        }
        return { steps: STEPS }
      }),
    ])
    expect(report).to.deep.equal({ 'hangs-once': { done: 1 }, slow: { steps: STEPS } })
    expect([attemptsOf('hangs-once'), attemptsOf('slow')]).to.deep.equal([2, 1])
  })
})
