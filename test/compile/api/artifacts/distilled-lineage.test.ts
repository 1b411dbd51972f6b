import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { compileLearners } from '../../../../db/compile/jobs/captures/flag-learners.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenJob, givenReady } from '../../../support/db/given.ts'
import { givenLineage } from '../../../support/db/given-lineage.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

interface Node {
  readonly id: string
  readonly facts: object
}

describe('the lineage of distilled adapters', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('leads to the adapters that a distillation continued and asked, for changes and forgotten captures', async () => {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    const graph = async (body: object) => {
      const answer = await api.call('POST', '/v1/artifacts/dependency-graph', { key: tenant.key, body })
      expect(answer.status, answer.text).to.equal(200)
      const nodes: readonly Node[] = answer.body.nodes
      return { nodes, edges: answer.body.edges, radius: answer.body.blast_radius.affected_artifacts }
    }
    const { job: root } = await givenReady(op, (await givenJob(op)).job.id)
    const [start, guide, child, heir] = [newId('cmp'), newId('cmp'), newId('cmp'), newId('cmp')]
    const base = { parent: null, earlierJob: null }
    await givenLineage(database.db, root.id, [
      { ...base, id: start, nodes: ['dataset:captures:s'], captures: ['cap_s'] },
      { ...base, id: guide, nodes: ['dataset:g'], captures: [] },
      { ...base, id: child, nodes: ['dataset:c'], captures: [], distil: { student: start, teacher: guide } },
      { ...base, id: heir, nodes: ['dataset:h'], captures: [], distil: { student: null, teacher: child } },
    ])
    const { edges, nodes } = await graph({ artifact_id: heir })
    expect(nodes.map(({ id }) => id)).to.include.members([start, guide, child])
    expect(edges).to.deep.include.members([
      { from: child, to: start, type: 'derived_from', via: 'student' },
      { from: child, to: guide, type: 'derived_from', via: 'teacher' },
      { from: heir, to: child, type: 'derived_from', via: 'teacher' },
    ])
    const radius = async (id: string) => (await graph({ changed: [id] })).radius
    expect(await radius(start)).to.deep.equal([child, heir].toSorted())
    expect(await radius(guide)).to.deep.equal([child, heir].toSorted())
    expect(await radius('cap_s')).to.deep.equal([start, child, heir].toSorted())
    const at = new Date()
    const flagged = await op.write(async (tx) => compileLearners.flag(tx, { tenantId: tenant.id, ids: ['cap_s'], at }))
    expect(flagged.map(({ id }) => id)).to.have.members([start, child, heir])
    expect(flagged.every(({ captureId, isArtifact }) => captureId === 'cap_s' && isArtifact)).to.equal(true)
    const after = (await graph({ artifact_id: heir })).nodes
    for (const id of [start, child, heir]) {
      expect(after.find((node) => node.id === id)?.facts).to.include({ captures: 1, forgotten_captures: 1 })
    }
    const again = await op.write(async (tx) => compileLearners.flag(tx, { tenantId: tenant.id, ids: ['cap_s'], at }))
    expect(again).to.deep.equal([])
  })
})
