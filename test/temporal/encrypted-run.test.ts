import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { findJob } from '../../db/compile/jobs/find-job.ts'
import { compileProgress } from '../../temporal/compile-progress.ts'
import { createTemporalClient } from '../../temporal/client.ts'
import { givenTenant } from '../support/db/given.ts'
import { historyOf } from '../support/workflows/histories.ts'
import { nameExamples, submitJob, useService } from '../support/workflows/service.ts'

describe('a run with a codec key', () => {
  const service = useService({ codecKey: randomBytes(32) })

  it('works as without one, and its history can be read with the key only', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    const { job: failing } = await submitJob(op, { examples: [] })
    for (const each of [job, failing]) await service.deps.workflows.start(each.id)
    const handle = service.temporal.client.workflow.getHandle(job.id)
    expect(await handle.result()).to.include({ status: 'ready' })
    await service.temporal.client.workflow
      .getHandle(failing.id)
      .result()
      .catch(() => undefined)
    expect(await findJob(op, failing.id)).to.include({ status: 'failed', errorCode: 'no_examples' })
    expect(await compileProgress(service.temporal, job.id)).to.include({ status: 'ready' })

    for (const id of [job.id, failing.id]) {
      const history = await historyOf(service.temporal, id)
      const payloads = [...history.matchAll(/"data": "([^"]*)"/g)].map((match) =>
        Buffer.from(match[1] ?? '', 'base64').toString('latin1'),
      )
      // Search attributes are indexed by the server and stay readable: ids, the stage and the score.
      // So do markers of versions, which hold the id of a patch.
      const isOpen = (text: string) =>
        /^"(ten_|compile)/.test(text) || text === '{"id":"build-artifact","deprecated":false}'
      const readable = payloads.filter((text) => /[\w{}":,. ]{12,}/.test(text) && !isOpen(text))
      expect(readable).to.deep.equal([])
      expect(history).to.not.include('the row of the job')
    }
    const blind = createTemporalClient({ address: service.temporalAddress, namespace: service.temporal.namespace })
    const unreadable = await blind.client.workflow
      .getHandle(job.id)
      .result()
      .then(
        () => undefined,
        (error: unknown) => error,
      )
    expect(unreadable).to.be.instanceOf(Error)
    await blind.close()
  })
})
