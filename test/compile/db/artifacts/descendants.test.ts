import { expect } from 'chai'
import { findDescendants } from '../../../../db/compile/evidence/descendants.ts'
import { givenJob, givenReady, givenTenant } from '../../../support/db/given.ts'
import { givenLineage } from '../../../support/db/given-lineage.ts'
import { randomLineage, randomSources, walkLineage } from '../../../support/db/random-lineage.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

describe('descendants of artifacts', () => {
  const test = useDatabase()

  it('are what a walk over all links finds, for artifacts, captures and evidence', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenReady(op, (await givenJob(op)).job.id)
    const copies = randomLineage(300, job.id)
    await givenLineage(test.db, job.id, copies)
    const { tenantId } = op
    for (const sources of randomSources(copies, 40)) {
      const { ids, isTruncated } = await findDescendants(op, { tenantId, sources, limit: 1000 })
      expect(ids).to.deep.equal(walkLineage(copies, sources))
      expect(isTruncated).to.equal(false)
    }
    const all = walkLineage(copies, { artifacts: [job.id] })
    const some = await findDescendants(op, { tenantId, sources: { artifacts: [job.id] }, limit: 5 })
    expect(some).to.deep.equal({ ids: all.slice(0, 5), isTruncated: true })
  })

  it('belong to the tenant', async () => {
    const { op } = await givenTenant(test.db)
    const { job } = await givenReady(op, (await givenJob(op)).job.id)
    await givenReady(op, (await givenJob(op, { conceptId: job.conceptId ?? '' })).job.id)
    const { op: stranger } = await givenTenant(test.db)
    const sources = { artifacts: [job.id] }
    const { ids } = await findDescendants(op, { tenantId: op.tenantId, sources, limit: 10 })
    expect(ids).to.have.length(1)
    expect(await findDescendants(stranger, { tenantId: stranger.tenantId, sources, limit: 10 })).to.deep.equal({
      ids: [],
      isTruncated: false,
    })
  })
})
