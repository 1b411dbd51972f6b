import { expect } from 'chai'
import type { Counts } from '../../../activities/kernel/chores/chore.ts'
import { Compile } from '../../../core/compile/workflows.ts'
import { EarlierHousekeeping, EarlierReconcile, Housekeeping, Reconcile } from '../../../core/overview/workflows.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { openOutbox, withdrawStart } from '../../../db/kernel/outbox/outbox.ts'
import { givenTenant } from '../../support/db/given.ts'
import { reconcileOne } from '../../support/workflows/chores.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'

describe('reconciliation of rows and workflows', () => {
  const service = useService()

  /** A tick at a time when nothing of this test is too young to be looked at. */
  async function reconcileLater(): Promise<Counts> {
    const later = () => new Date(Date.now() + 60_000)
    return await reconcileOne({ ...service.deps, now: later }, Compile.name)
  }

  async function resultOf(jobId: string): Promise<unknown> {
    return await service.temporal.client.workflow.getHandle(jobId).result()
  }

  it('starts a job whose start was lost between the row and Temporal', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    expect(await reconcileLater()).to.include({ started: 1, restarted: 0, finished: 0, failed: 0 })
    expect(await resultOf(job.id)).to.include({ status: 'ready' })
    const now = new Date(Date.now() + 3_600_000)
    expect(await openOutbox(op.db).claimDue({ family: Compile.name, batch: 10, now })).to.deep.equal([])
    expect(await reconcileLater()).to.include({ admitted: 0, started: 0, restarted: 0, finished: 0, failed: 0 })
  })

  it('starts a job again that Temporal does not know', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    await op.write(async (tx) => withdrawStart(tx, job.id))
    expect(await reconcileLater()).to.include({ restarted: 1, finished: 0, failed: 0 })
    expect(await resultOf(job.id)).to.include({ status: 'ready' })
  })

  it('leaves running work alone, and ends the row of a terminated workflow', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const hold = service.hold()
    await service.deps.workflows.start(job.id)
    await hold.reached
    expect(await reconcileLater()).to.include({ restarted: 0, finished: 0, failed: 0 })
    expect(await findJob(op, job.id)).to.include({ status: 'running' })

    await service.temporal.client.workflow.getHandle(job.id).terminate('a test')
    let finished = 0
    // The list of running workflows may still hold it for a moment: a later tick then deals with it.
    for (let tick = 0; tick < 20 && finished === 0; tick++) finished = (await reconcileLater())['finished'] ?? 0
    hold.release()
    expect(finished).to.equal(1)
    expect(await findJob(op, job.id)).to.include({ status: 'failed', errorCode: 'compile_failed', versionId: null })
  })

  for (const { name, queue } of [Reconcile, Housekeeping, EarlierReconcile, EarlierHousekeeping]) {
    it(`is done by the workflow ${name}`, async () => {
      const workflowId = `${name}-test`
      const report: unknown = await service.temporal.client.workflow.execute(name, {
        workflowId,
        taskQueue: queue,
        args: [],
      })
      const counts = Object.values(Object(report)).flatMap((each) => Object.values(Object(each)).concat(each))
      expect(counts.filter((count) => typeof count === 'number' && count < 0)).to.deep.equal([])
      // The histories of the earlier types are those that earlier versions recorded.
      if (name === Reconcile.name || name === Housekeeping.name) await recordHistory(service.temporal, name, workflowId)
    })
  }
})
