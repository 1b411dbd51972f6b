import { expect } from 'chai'
import { reconcileJobs } from '../../../activities/overview/reconcile/reconcile-jobs.ts'
import type { ReconcileReport } from '../../../activities/overview/reconcile/reports.ts'
import { sweepExpired } from '../../../activities/overview/housekeeping/sweep-expired.ts'
import { startJob } from '../../../activities/compile/compile/start-job.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { dueStarts, markStarted } from '../../../db/compile/jobs/start/outbox.ts'
import { QUEUES, WORKFLOWS } from '../../../workflows/kernel/names.ts'
import { givenTenant } from '../../support/db/given.ts'
import { recordHistory } from '../../support/workflows/histories.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'

describe('reconciliation of rows and workflows', () => {
  const service = useService()

  /** A tick at a time when nothing of this test is too young to be looked at. */
  async function reconcileLater(): Promise<ReconcileReport> {
    const later = () => new Date(Date.now() + 60_000)
    return await reconcileJobs({ ...service.deps, now: later }, new AbortController().signal)
  }

  async function resultOf(jobId: string): Promise<unknown> {
    return await service.temporal.client.workflow.getHandle(jobId).result()
  }

  it('starts a job whose start was lost between the row and Temporal', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    expect(await reconcileLater()).to.include({ started: 1, restarted: 0, finished: 0, failed: 0 })
    expect(await resultOf(job.id)).to.include({ status: 'ready' })
    expect(await dueStarts(op.db, { batch: 10, now: new Date(Date.now() + 3_600_000) })).to.deep.equal([])
    expect(await reconcileLater()).to.include({ admitted: 0, started: 0, restarted: 0, finished: 0, failed: 0 })
  })

  it('starts a job again of which Temporal knows nothing', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    await markStarted(op.db, job.id)
    expect(await reconcileLater()).to.include({ restarted: 1, finished: 0, failed: 0 })
    expect(await resultOf(job.id)).to.include({ status: 'ready' })
  })

  it('leaves alone what runs, and ends the row of a workflow that was terminated', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const hold = service.hold()
    await startJob(service.deps, job.id)
    await hold.reached
    expect(await reconcileLater()).to.include({ restarted: 0, finished: 0, failed: 0 })
    expect(await findJob(op, job.id)).to.include({ status: 'running' })

    await service.temporal.client.workflow.getHandle(job.id).terminate('a test')
    let finished = 0
    // The list of running workflows may still hold it for a moment: a later tick then deals with it.
    for (let tick = 0; tick < 20 && finished === 0; tick++) finished = (await reconcileLater()).finished
    hold.release()
    expect(finished).to.equal(1)
    expect(await findJob(op, job.id)).to.include({ status: 'failed', errorCode: 'compile_failed', versionId: null })
  })

  it('does not go on sweeping when its activity is over', async () => {
    const isOver = new Error('over')
    const swept = sweepExpired(service.deps, AbortSignal.abort(isOver))
    expect(await swept.catch((error: unknown) => error)).to.equal(isOver)
  })

  it('is what the schedules run', async () => {
    for (const workflow of [WORKFLOWS.reconcile, WORKFLOWS.housekeeping]) {
      const workflowId = `${workflow}-test`
      const report: unknown = await service.temporal.client.workflow.execute(workflow, {
        workflowId,
        taskQueue: QUEUES.io,
        args: [],
      })
      expect(Object.values(Object(report))).to.satisfy((counts: unknown[]) =>
        counts.every((count) => Number(count) >= 0),
      )
      await recordHistory(service.temporal, workflow, workflowId)
    }
  })
})
