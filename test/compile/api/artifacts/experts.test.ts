import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { evenShare } from '../../../../core/kernel/threads/cores.ts'
import { systemOperation } from '../../../../db/kernel/operation.ts'
import { type ApiTenant, givenApiTenant, NO_TEMPORAL, useApi } from '../../../support/api.ts'
import { givenAdapterArtifact, givenProgramArtifact } from '../../../support/archives/signed-artifacts.ts'
import { sendSql } from '../../../support/db/send-sql.ts'
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

  it('are counted in turns with the calls of others, and their time is unpaid compute of the account', async () => {
    const caller = await givenApiTenant(api)
    const op = systemOperation(database.db, { tenantId: caller.id, name: 'test', requestId: 'test' })
    const id = await givenAdapterArtifact(op, `${GOLDEN}/qwen3-moe`, 'qwen3-moe')
    const { longLane } = api.server.services
    const { signal } = new AbortController()
    const held = await Promise.all(
      Array.from({ length: longLane.most }, async () => await longLane.take(evenShare('another'), { signal })),
    )
    const call = analyze({ artifact_path: id }, caller.key)
    expect(await Promise.race([call, sleep(300, 'waits')])).to.equal('waits')
    expect(longLane.waiting).to.equal(1)
    for (const slot of held) slot.release()
    const { status, text } = await call
    expect(status, text).to.equal(200)
    expect(longLane.held).to.equal(0)
    const usedMs = 'select used_ms::integer as ms from unpaid_compute where tenant_id = $1'
    const [used] = await sendSql<{ readonly ms: number }>(database.db, usedMs, [caller.id])
    expect(used?.ms).to.be.above(0)
    await sendSql(database.db, 'update unpaid_compute set used_ms = 1000000000 where tenant_id = $1', [caller.id])
    const spent = await analyze({ artifact_path: id }, caller.key)
    expect([spent.status, spent.body.code], spent.text).to.deep.equal([429, 'compute_exhausted'])
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
