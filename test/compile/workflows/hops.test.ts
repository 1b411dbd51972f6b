import { expect } from 'chai'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { givenTenant } from '../../support/db/given.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'

/** Transactions and reads of a compile whose stages run in one attempt, from the start of its workflow to its end. */
const MOST_HOPS = 16

describe('a compile of few rows', () => {
  const service = useService()

  it('takes few transactions, and none for the folds that help', async () => {
    const { op } = await givenTenant(service.database.db)
    const run = async () => {
      const { job } = await submitJob(op, { examples: nameExamples() })
      let hops = 0
      const count = () => hops++
      service.database.db.pool.on('acquire', count)
      await service.deps.workflows.start(job.id)
      await service.temporal.client.workflow.getHandle(job.id).result()
      service.database.db.pool.off('acquire', count)
      expect(await findJob(op, job.id)).to.include({ status: 'ready' })
      return hops
    }
    await run()
    expect(await run()).to.be.at.most(MOST_HOPS)
  })
})
