import { expect } from 'chai'
import { findDescendants, type Sources } from '../../../../db/compile/evidence/descendants.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { givenJob, givenReady, givenTenant } from '../../../support/db/given.ts'
import { givenLineage, type LineageCopy } from '../../../support/db/given-lineage.ts'
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
      expect(ids).to.deep.equal(walk(copies, sources))
      expect(isTruncated).to.equal(false)
    }
    const all = walk(copies, { artifacts: [job.id] })
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

function draw(below: number): number {
  return Math.floor(Math.random() * below)
}

function randomLineage(count: number, root: string): readonly LineageCopy[] {
  const ids = Array.from({ length: count }, () => newId('cmp'))
  const earlier = (place: number): string => ids[draw(place)] ?? root
  const isOld = (place: number): boolean => place < 20
  return ids.map((id, place) => ({
    id,
    parent: isOld(place) ? root : draw(3) === 0 ? null : earlier(place),
    earlierJob: isOld(place) || draw(4) > 0 ? null : earlier(place),
    nodes: [`dataset:${draw(40)}`],
    captures: Array.from({ length: draw(3) }, (_, index) => `cap_${draw(50)}_${index}`),
  }))
}

function randomSources(copies: readonly LineageCopy[], count: number): readonly Sources[] {
  return Array.from({ length: count }, (_, turn) => {
    const copy = copies[draw(copies.length)]
    if (turn % 3 === 0) return { artifacts: [copy?.id ?? ''] }
    if (turn % 3 === 1) return { captures: copy?.captures ?? [] }
    return { nodes: copy?.nodes ?? [], artifacts: [copies[draw(copies.length)]?.id ?? ''] }
  })
}

/** Adds what is built on what is there, over all links, until nothing is added. */
function walk(copies: readonly LineageCopy[], { artifacts = [], captures = [], nodes = [] }: Sources): string[] {
  const given = new Set(artifacts)
  const reached = new Set(artifacts)
  for (let before = -1; before < reached.size;) {
    before = reached.size
    for (const copy of copies) {
      const isBuilt =
        copy.captures.some((capture) => captures.includes(capture)) ||
        copy.nodes.some((node) => nodes.includes(node)) ||
        [copy.parent, copy.earlierJob].some((link) => link !== null && reached.has(link))
      if (isBuilt) reached.add(copy.id)
    }
  }
  return [...reached].filter((id) => !given.has(id)).sort()
}
