import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { newId } from '../../../../core/kernel/ids.ts'
import { migrate } from '../../../../db/migrations/migrate.ts'
import { compileLearners } from '../../../../db/compile/jobs/captures/flag-learners.ts'
import { readUses } from '../../../../db/compile/jobs/captures/read-uses.ts'
import { givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenJob, givenReady } from '../../../support/db/given.ts'
import { givenLineage } from '../../../support/db/given-lineage.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
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

  it('flags an adapter whose distillation begins after a capture behind its student or teacher was forgotten', async () => {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    const { job: root } = await givenReady(op, (await givenJob(op)).job.id)
    const [start, child] = [newId('cmp'), newId('cmp')]
    const base = { parent: null, earlierJob: null, nodes: [] }
    await givenLineage(database.db, root.id, [
      { ...base, id: start, captures: ['cap_s', 'cap_kept'] },
      { ...base, id: child, captures: [], distil: { student: null, teacher: start } },
    ])
    const at = new Date()
    const begun = Promise.withResolvers<string>()
    await op.write(async (tx) => {
      await compileLearners.flag(tx, { tenantId: tenant.id, ids: ['cap_s'], at })
      // Begun before the forgetting is committed.
      begun.resolve((async () => (await givenJob(op, { student: child })).job.id)())
      await sleep(300)
    })
    const early = await begun.promise
    const late = (await givenJob(op, { student: early })).job.id
    const free = (await givenJob(op, { student: root.id })).job.id
    const uses = async (id: string) => {
      const captures: string[] = []
      for await (const { id: capture } of readUses(op, { tenantId: tenant.id, jobId: id })) captures.push(capture)
      return captures
    }
    for (const [id, isFlagged] of [
      [early, true],
      [late, true],
      [free, false],
    ] as const) {
      await givenReady(op, id)
      const hashed = `update artifacts set manifest = json_build_object('artifact_hash', repeat('0', 64)) where id = $1`
      await sendSql(database.db, hashed, [id])
      const { body, text } = await api.call('GET', `/v1/artifacts/${id}`, { key: tenant.key })
      expect(body.needs_review, text).to.equal(isFlagged)
      if (isFlagged) expect(body.review_reasons[0]).to.deep.include({ code: 'capture_forgotten', captures: 1 })
      // Its archive names the captures of its own examples alone.
      expect(await uses(id)).to.deep.equal([])
    }
  })

  it('flags adapters that were distilled from flagged ones before flags were inherited, when the service is updated', async () => {
    const tenant = await givenApiTenant(api)
    const op = setUpOperation(database.db, tenant.id)
    const { job: root } = await givenReady(op, (await givenJob(op)).job.id)
    const [start, child, heir, free] = [newId('cmp'), newId('cmp'), newId('cmp'), newId('cmp')]
    const base = { parent: null, earlierJob: null, nodes: [], captures: [] }
    await givenLineage(database.db, root.id, [
      { ...base, id: start, captures: ['cap_s', 'cap_kept'] },
      { ...base, id: child, distil: { student: start, teacher: null } },
      { ...base, id: heir, distil: { student: null, teacher: child } },
      { ...base, id: free, distil: { student: root.id, teacher: null } },
    ])
    await sendSql(
      database.db,
      `update compile_captures set forgotten_at = now(), erased_at = now() where job_id = $1 and capture_id = 'cap_s'`,
      [start],
    )
    const hashed = `update artifacts set manifest = json_build_object('artifact_hash', repeat('0', 64)) where tenant_id = $1`
    await sendSql(database.db, hashed, [tenant.id])
    const flagsOf = async () => {
      const answers = [start, child, heir, free].map(
        async (id) => (await api.call('GET', `/v1/artifacts/${id}`, { key: tenant.key })).body.needs_review,
      )
      return await Promise.all(answers)
    }
    expect(await flagsOf()).to.deep.equal([true, false, false, false])
    await sendSql(database.db, `delete from migrations where name = '070-inherited-flags'`, [])
    expect(await migrate(database.db)).to.deep.equal(['070-inherited-flags'])
    expect(await flagsOf()).to.deep.equal([true, true, true, false])
  })
})
