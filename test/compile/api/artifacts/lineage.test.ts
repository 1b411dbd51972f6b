import { expect } from 'chai'
import { computeCid } from '../../../../core/compile/archive/cid.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'
import { givenApiTenant, NO_TEMPORAL, useApi, type ApiTenant } from '../../../support/api.ts'
import { givenJob, givenReady } from '../../../support/db/given.ts'
import { givenLineage } from '../../../support/db/given-lineage.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
import { setUpOperation } from '../../../support/people/given-members.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

interface Node {
  readonly id: string
  readonly type: string
}

interface Edge {
  readonly from: string
  readonly to: string
  readonly type: string
  readonly via?: string
}

describe('what artifacts rest on', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })
  const unknownCid = `cidv1:sha256:${'0'.repeat(64)}`
  let tenant: ApiTenant
  let op: Operation
  beforeEach(async () => {
    tenant = await givenApiTenant(api)
    op = setUpOperation(database.db, tenant.id)
  })

  const call = async (path: string, body: object, key = tenant.key) => await api.call('POST', path, { key, body })
  const given = async (conceptId?: string) =>
    (await givenReady(op, (await givenJob(op, conceptId === undefined ? {} : { conceptId })).job.id)).job
  const versions = async (count: number): Promise<readonly string[]> => {
    const first = await given()
    const ids = [first.id]
    while (ids.length < count) ids.push((await given(first.conceptId ?? '')).id)
    return ids
  }
  const cidOf = async (id: string): Promise<string> =>
    (await sendSql<{ cid: string }>(database.db, 'select cid from artifacts where id = $1', [id]))[0]?.cid ?? ''

  describe('POST /v1/artifact/lineage', () => {
    it('follows the version before, newest first, and says where it stopped', async () => {
      const ids = await versions(4)
      const cids = await Promise.all(ids.map(cidOf))
      const { body, text } = await call('/v1/artifact/lineage', { cid: cids[3] })
      expect(body, text).to.include({ ok: true, cid: cids[3], depth: 3, truncated: false })
      expect(body.chain.map((link: { cid: string }) => link.cid)).to.deep.equal(cids.toReversed())
      expect(body.chain.map((link: { parent_cid: string }) => link.parent_cid)).to.deep.equal([
        ...cids.slice(0, 3).toReversed(),
        null,
      ])
      expect(body.chain[0]).to.include({ artifact_id: ids[3], semver: '0.4.0', state: 'signed', k_score: 0.97 })
      const short = await call('/v1/artifact/lineage', { cid: cids[3], max_depth: 2 })
      expect(short.body).to.include({ depth: 2, truncated: true })
      expect(short.body.chain[2].parent_cid).to.equal(cids[0])
    })

    it('ends at a pointer in a circle', async () => {
      const [first = '', , third = ''] = await versions(3)
      await sendSql(
        database.db,
        'update versions set parent_version_id = (select id from versions where job_id = $1) where job_id = $2',
        [third, first],
      )
      const { body } = await call('/v1/artifact/lineage', { cid: await cidOf(third), max_depth: 100 })
      expect(body).to.include({ depth: 2, truncated: false })
    })

    it('answers 404 for unknown and foreign CIDs, and 400 for malformed ones', async () => {
      const [id = ''] = await versions(1)
      const stranger = await givenApiTenant(api)
      const cid = await cidOf(id)
      expect((await call('/v1/artifact/lineage', { cid: unknownCid })).status).to.equal(404)
      expect((await call('/v1/artifact/lineage', { cid }, stranger.key)).status).to.equal(404)
      for (const bad of ['cidv1:sha256:00', 7, undefined]) {
        const answer = await call('/v1/artifact/lineage', { cid: bad })
        expect([answer.status, answer.body.code]).to.deep.equal([400, 'invalid_cid'])
      }
      expect((await call('/v1/artifact/lineage', { cid, max_depth: 101 })).status).to.equal(400)
    })
  })

  describe('POST /v1/cid', () => {
    const hashes = { 'recipes.json': `sha256:${'1'.repeat(64)}`, 'evals.json': '2'.repeat(64) }

    it('computes the CID of hashes, and compares it with a given one', async () => {
      const [id = ''] = await versions(1)
      const cid = await cidOf(id)
      const computed = computeCid({ ...hashes, 'evals.json': `sha256:${hashes['evals.json']}` } as never)
      const alone = await call('/v1/cid', { hashes })
      expect(alone.body, alone.text).to.deep.include({
        cid: computed,
        matches: null,
        resolved: [],
        unknown: [computed],
      })
      const compared = await call('/v1/cid', { hashes, cid })
      expect(compared.body).to.deep.include({ cid: computed, matches: false, unknown: [computed] })
      expect(compared.body.resolved[0].artifacts[0].id).to.equal(id)
    })

    it('looks CIDs up within the account', async () => {
      const ids = await versions(2)
      const [one = '', two = ''] = await Promise.all(ids.map(cidOf))
      const { body } = await call('/v1/cid', { cids: [one, unknownCid, two, one] })
      expect(body.resolved.map((each: { cid: string }) => each.cid)).to.deep.equal([one, two])
      expect(body.resolved[1].artifacts[0]).to.include({ id: ids[1], status: 'signed' })
      expect(body.unknown).to.deep.equal([unknownCid])
      const stranger = await givenApiTenant(api)
      expect((await call('/v1/cid', { cid: one }, stranger.key)).status).to.equal(404)
      expect((await call('/v1/cid', { cids: [one] }, stranger.key)).body.unknown).to.deep.equal([one])
    })

    it('refuses malformed CIDs and hashes, and a body that asks for nothing', async () => {
      const answers = [
        [{ cid: 'cid' }, 'invalid_cid'],
        [{ cids: ['cid'] }, 'invalid_cid'],
        [{}, 'invalid_cid'],
        [{ hashes: { 'a.json': 'zz' } }, 'invalid_hashes'],
      ] as const
      for (const [body, code] of answers) {
        const answer = await call('/v1/cid', body)
        expect([answer.status, answer.body.code], answer.text).to.deep.equal([400, code])
      }
    })
  })

  describe('POST /v1/artifacts/dependency-graph', () => {
    const graph = async (body: object) => {
      const answer = await call('/v1/artifacts/dependency-graph', body)
      expect(answer.status, answer.text).to.equal(200)
      const nodes: readonly Node[] = answer.body.nodes
      const edges: readonly Edge[] = answer.body.edges
      return { nodes, edges, body: answer.body }
    }

    it('joins evidence, versions and compiled examples of all artifacts', async () => {
      const [first = ''] = await versions(1)
      const [second, again] = [newId('cmp'), newId('cmp')]
      await givenLineage(database.db, first, [
        { id: second, parent: first, earlierJob: null, nodes: ['rcp_1'], captures: [] },
        { id: again, parent: null, earlierJob: second, nodes: ['dataset:shared'], captures: [] },
      ])
      const { nodes, edges, body } = await graph({})
      const idsOf = (type: string) => nodes.filter((node) => node.type === type).map(({ id }) => id)
      expect(idsOf('artifact')).to.have.members([first, second, again])
      // Two compiles name the recipe rcp_1, which is one node.
      expect(nodes.filter(({ id }) => id === 'rcp_1')).to.have.length(1)
      expect(body.counts).to.deep.equal({
        nodes: nodes.length,
        edges: edges.length,
        artifacts: 3,
        all_artifacts: 3,
      })
      expect(edges).to.deep.include.members([
        { from: second, to: first, type: 'derived_from', via: 'version' },
        { from: again, to: second, type: 'derived_from', via: 'examples' },
        { from: first, to: `signature:${first}`, type: 'depends_on' },
        { from: `signature:${first}`, to: 'rcp_1', type: 'derived_from' },
        { from: again, to: 'dataset:shared', type: 'depends_on' },
      ])
      const near = await graph({ artifact_id: first })
      expect(near.body.artifact_id).to.equal(first)
      expect(near.nodes.filter(({ type }) => type === 'artifact')).to.have.length(3)
    })

    it('shows what an artifact rests on without what is beside it', async () => {
      const [first = '', second = ''] = await versions(2)
      const [other = ''] = await versions(1)
      const { nodes } = await graph({ artifact_id: second })
      const ids = nodes.map(({ id }) => id)
      expect(ids).to.include.members([first, second]).and.not.include(other)
    })

    it('names the blast radius of artifacts, evidence and captures, forgotten ones too', async () => {
      const [first = '', second = '', third = ''] = await versions(3)
      const [root = ''] = await versions(1)
      const [learner, heir] = [newId('cmp'), newId('cmp')]
      await givenLineage(database.db, root, [
        { id: learner, parent: null, earlierJob: null, nodes: ['dataset:captures:1'], captures: ['cap_1', 'cap_2'] },
        { id: heir, parent: learner, earlierJob: null, nodes: ['dataset:other'], captures: [] },
      ])
      await sendSql(database.db, `update compile_captures set forgotten_at = now() where capture_id = 'cap_1'`, [])
      const radius = async (changed: readonly string[]) => (await graph({ changed })).body.blast_radius
      expect((await radius([first])).affected_artifacts).to.have.members([second, third])
      expect((await radius([await cidOf(second)])).affected_artifacts).to.deep.equal([third])
      // All four compiles name this recipe.
      const all = [first, second, third, root]
      expect((await radius(['rcp_1'])).affected_artifacts).to.include.members(all)
      expect((await radius(['rcp_1'])).affected_nodes).to.have.members(all.map((id) => `signature:${id}`))
      const { body, nodes, edges } = await graph({ changed: ['cap_1'] })
      expect(body.blast_radius).to.deep.equal({
        changed: ['cap_1'],
        affected_artifacts: [learner, heir].toSorted(),
        affected_nodes: ['dataset:captures:1'],
        truncated: false,
      })
      expect(nodes).to.deep.include({
        id: 'cap_1',
        type: 'capture',
        label: 'a forgotten capture',
        facts: { forgotten: true },
      })
      expect(edges).to.deep.include({ from: 'dataset:captures:1', to: 'cap_1', type: 'derived_from' })
    })

    it('leads from an artifact to its distillation, the version of the dataset and the captures', async () => {
      const [root = ''] = await versions(1)
      const [distilled, plain, heir] = [newId('cmp'), newId('cmp'), newId('cmp')]
      const [runId, datasetId] = [newId('run'), newId('ds')]
      const version = { dataset_id: datasetId, version: 3, merkle_root: 'f0' }
      const base = { parent: null, earlierJob: null, captures: [] }
      await givenLineage(database.db, root, [
        {
          ...base,
          id: distilled,
          nodes: ['dataset:captures:9'],
          captures: ['cap_9'],
          dataset: { ...version, run_id: runId },
        },
        { ...base, id: plain, nodes: ['dataset:plain'], dataset: { ...version, version: 4 } },
        { ...base, id: heir, parent: distilled, nodes: ['dataset:heir'] },
      ])
      const { nodes, edges } = await graph({ artifact_id: distilled })
      const at = `${datasetId}/v3`
      expect(nodes).to.deep.include.members([
        { id: runId, type: 'run', label: `distillation of ${datasetId}`, facts: { dataset_id: datasetId, version: 3 } },
        { id: at, type: 'dataset', label: `version 3 of ${datasetId}`, facts: version },
      ])
      expect(edges).to.deep.include.members([
        { from: distilled, to: runId, type: 'derived_from' },
        { from: runId, to: at, type: 'derived_from' },
        { from: at, to: 'dataset:captures:9', type: 'derived_from' },
      ])
      const radius = async (id: string) => {
        const { affected_artifacts: artifacts, affected_nodes: evidence } = (await graph({ changed: [id] })).body
          .blast_radius
        return [artifacts, evidence]
      }
      expect(await radius(runId)).to.deep.equal([[distilled, heir].toSorted(), []])
      expect(await radius(at)).to.deep.equal([[distilled, heir].toSorted(), [runId]])
      expect((await radius(datasetId))[0]).to.deep.equal([distilled, heir, plain].toSorted())
      expect((await radius('cap_9'))[1]).to.have.members(['dataset:captures:9', at, runId])
    })

    it('refuses changed ids that name nothing of the account', async () => {
      const [first = ''] = await versions(1)
      const stranger = await givenApiTenant(api)
      const changed = [first, 'dataset:none']
      const answer = await call('/v1/artifacts/dependency-graph', { changed })
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'changed_not_found'])
      expect(answer.body.details).to.deep.equal({
        fields: [{ field: 'changed.1', message: 'is no artifact, capture or node of this account' }],
        unknown: ['dataset:none'],
      })
      const foreign = await call('/v1/artifacts/dependency-graph', { changed: [first] }, stranger.key)
      expect(foreign.body.code).to.equal('changed_not_found')
      const asked = await call('/v1/artifacts/dependency-graph', { artifact_id: first }, stranger.key)
      expect(asked.status).to.equal(404)
    })
  })
})
