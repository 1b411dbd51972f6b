import { Context } from '@temporalio/activity'
import { expect } from 'chai'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { givenTenant } from '../../support/db/given.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'

/** Points of the one activity before which its first attempt ends, and one attempt that ends nowhere. */
const POINTS = Array.from({ length: 12 }, (_, i) => i + 1)

describe('the activity that builds an artifact', () => {
  /** Calls of the clock left until the first attempt at a job ends. The clock is read before each write of a stage. */
  const left = new Map<string, number>()
  let ended = 0
  const service = useService({
    change: (deps) => ({
      ...deps,
      now: () => {
        endHere()
        return new Date()
      },
    }),
  })

  function endHere(): void {
    const info = activityInfo()
    // Messages of threads arrive outside of the activity.
    if (info === undefined) return
    const { activityType, attempt, workflowExecution } = info
    if (activityType !== 'buildArtifact' || attempt > 1) return
    const jobId = workflowExecution?.workflowId ?? ''
    const calls = (left.get(jobId) ?? 0) - 1
    left.set(jobId, calls)
    if (calls !== 0) return
    ended++
    throw KERNEL_ERRORS.store_unavailable('the process ended')
  }

  it('goes on after an end at any point: one archive, the same CID, one charge, one log', async () => {
    const jobs: { readonly op: Operation; readonly id: string }[] = []
    for (const point of POINTS) {
      const { op } = await givenTenant(service.database.db)
      const { job } = await submitJob(op, { examples: nameExamples() })
      left.set(job.id, point)
      jobs.push({ op, id: job.id })
    }
    await Promise.all(
      jobs.map(async ({ id }) => {
        await service.deps.workflows.start(id)
        await service.temporal.client.workflow.getHandle(id).result()
      }),
    )
    expect(ended).to.be.at.least(8)
    const cids = new Set<string>()
    for (const { op, id } of jobs) {
      expect(await findJob(op, id)).to.include({ status: 'ready', stage: 'ready' })
      cids.add((await findArtifact(op, id)).cid)
      const events = await listEvents(op, { jobId: id, afterSeq: 0, limit: 1000 })
      const ends = events.filter(({ kind }) => kind === 'step.end').map(({ body }) => body['step'])
      expect(ends).to.deep.equal(['queued', 'k-sample', 'verify', 'lora-fit', 'bundle', 'sign', 'ready'])
      expect(events.filter(({ body }) => body['code'] === 'sealed')).to.have.length(1)
      const [used] = await op.read((q) => q.selectFrom('quota_periods').select('used_units as units'))
      expect(used?.units).to.equal(service.deps.limits.quota_units_per_compile)
      const artifacts = await op.read((q) => q.selectFrom('artifacts').select('id'))
      expect(artifacts).to.deep.equal([{ id }])
    }
    expect(cids).to.have.property('size', 1)
  })
})

function activityInfo() {
  try {
    return Context.current().info
  } catch {
    return undefined
  }
}
