import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { type ApiTenant, givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenAdapterArtifact, givenProgramArtifact } from '../../../support/archives/signed-artifacts.ts'
import { useDatabase } from '../../../support/stack/postgres.ts'

const GOLDEN = fileURLToPath(new URL('../../../model/golden', import.meta.url))

describe('the experts of an artifact over HTTP', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }), settings: { baseFolders: [GOLDEN] } })
  let tenant: ApiTenant
  const operation = () => systemOperation(database.db, { tenantId: tenant.id, name: 'test', requestId: 'test' })
  const analyze = async (body: unknown, key = tenant.key) => await api.call('POST', '/v1/experts', { key, body })

  before(async () => {
    tenant = await givenApiTenant(api)
  })

  it('are counted on the held-out rows, and masked to measure what pruning costs', async () => {
    const id = await givenAdapterArtifact(operation(), `${GOLDEN}/qwen3-moe`, 'qwen3-moe')
    const { status, body } = await analyze({ artifact_path: id, threshold: 0.1 })
    expect(status).to.equal(200)
    expect(body).to.include({ is_moe: true, num_experts: 6, num_experts_per_tok: 2, artifact_id: id })
    expect(body.estimated_kscore_impact_source).to.equal('measured_by_masking')
    const sum = body.expert_activations.reduce((total: number, { count }: { count: number }) => total + count, 0)
    expect(sum).to.equal(body.total_decisions)
    for (const { pct } of body.prune_candidates) expect(pct).to.be.below(10)
    const again = await analyze({ artifact_path: id, threshold: 0.1 })
    expect(again.body.analysis_sha256).to.equal(body.analysis_sha256)
    expect((await analyze({ artifact_path: id }, (await givenApiTenant(api)).key)).status).to.equal(404)
  })

  it('are none in a dense base or a program, which the answer says', async () => {
    const ids = [
      await givenAdapterArtifact(operation(), `${GOLDEN}/qwen3`, 'qwen3'),
      await givenProgramArtifact(operation()),
    ]
    for (const id of ids) {
      const { body } = await analyze({ artifact_path: id })
      expect(body).to.include({ ok: true, is_moe: false, reason: 'artifact_is_dense_not_moe' })
    }
    expect((await analyze({ artifact_path: `cidv1:sha256:${'0'.repeat(64)}` })).status).to.equal(404)
    expect((await analyze({ artifact_path: ids[0], threshold: 'low' })).status).to.equal(400)
    expect((await analyze({ threshold: 0.01 })).status).to.equal(400)
  })
})
