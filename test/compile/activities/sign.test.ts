import { expect } from 'chai'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { openMacKey } from '../../../core/kernel/json/mac.ts'
import { rankingDigest } from '../../../core/compile/synthesis/ranking/ranking-digest.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import { listEvents } from '../../../db/compile/progress/events/list-events.ts'
import { stageResult } from '../../../db/compile/jobs/stages/stages.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import { readZip } from '../../support/archives/read-zip.ts'
import { givenTenant } from '../../support/db/given.ts'
import { nameExamples, submitJob, useService } from '../../support/workflows/service.ts'

const MAX_BYTES = 1_000_000

describe('sign', () => {
  let seals = 0
  let failures = 0
  let callsUntilFailure = Number.POSITIVE_INFINITY
  const service = useService({
    change: (deps) => ({
      ...deps,
      // The receipt secret is another one at each attempt.
      receiptKey: async () => {
        seals++
        // Once for the record of the stage, and then for the publication, which fails.
        if (failures === 0) callsUntilFailure = 2
        return openMacKey(`rsk_${seals}`, `secret ${seals}`)
      },
      now: () => {
        if (--callsUntilFailure === 0) {
          failures++
          callsUntilFailure = Number.POSITIVE_INFINITY
          throw KERNEL_ERRORS.store_unavailable('the database went away')
        }
        return new Date()
      },
    }),
  })

  it('publishes the archive that it recorded first, although the keys changed before its retry', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    await service.deps.workflows.start(job.id)
    expect(await service.temporal.client.workflow.getHandle(job.id).result()).to.include({ status: 'ready' })
    expect([seals, failures]).to.deep.equal([1, 1])
    const artifact = await findArtifact(op, job.id)
    const recorded = await stageResult(op, { jobId: job.id, stage: 'sign' })
    expect(recorded?.blobSha256).to.equal(artifact.archiveSha256)
    expect(artifact.receipt['key_id']).to.equal('rsk_1')
    const events = await listEvents(op, { jobId: job.id, afterSeq: 0, limit: 1000 })
    const sealed = events.filter(({ body }) => body['code'] === 'sealed').map(({ body }) => body['archive'])
    expect(sealed).to.deep.equal([artifact.archiveSha256])
  })

  it('names the weights of the search in build.json', async () => {
    const { op } = await givenTenant(service.database.db)
    const { job } = await submitJob(op, { examples: nameExamples() })
    await service.deps.workflows.start(job.id)
    await service.temporal.client.workflow.getHandle(job.id).result()
    const { archiveSha256 } = await findArtifact(op, job.id)
    const members = await readZip(Buffer.from(await getBlob(service.database.db, archiveSha256, MAX_BYTES)))
    const build: unknown = JSON.parse(members.get('build.json') ?? '')
    expect(build).to.have.nested.property('toolchain.ranking', rankingDigest())
  })
})
