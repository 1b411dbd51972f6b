import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { messageRows } from '../core/runtime/composite/given.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { useService } from '../../support/workflows/service.ts'

const MESSAGE = 'Can you replace the oven light for me. It is 77 EUR on 05.06.2026'

describe('compile of a composite through the API', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  // oxlint-disable-next-line typescript/no-explicit-any -- the document that the tests look into
  let job: any
  before(async function () {
    this.timeout(180_000)
    tenant = await givenApiTenant(api)
    const done = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: {
        task: 'Read who should answer, the amount, the date and the ticket',
        examples: messageRows(2).map(({ input, output }) => ({ input, output })),
        base_model: 'none',
        k_score_floor: 0.5,
        mode: 'async',
      },
    })
    expect(done.status, done.text).to.equal(202)
    do {
      await delay(200)
      job = (await api.call('GET', `/v1/compile/${done.body.job_id}`, { key: tenant.key })).body
    } while (['queued', 'running'].includes(job.status))
    expect(job.status).to.equal('completed')
  })

  it('signs a composite, whose archive verifies', async () => {
    expect(job.recipe_kind).to.equal('composite')
    const file = await api.call('GET', `/v1/compile/${job.id}/.svc`, { key: tenant.key })
    const result = await verifyArchive(file.bytes)
    expect(result.ok, result.detail).to.equal(true)
    expect(result.manifest?.artifact_class).to.equal('composite')
  })

  it('shows its leaves with the job and the artifact', async () => {
    const artifact = await api.call('GET', `/v1/artifacts/${job.artifact_id}`, { key: tenant.key })
    for (const { leaves } of [job, artifact.body]) {
      expect(leaves.map(({ path, part, kind }: Record<string, unknown>) => [path, part, kind])).to.deep.equal([
        ['/amount', 'value', 'program'],
        ['/desk', 'value', 'label'],
        ['/on', 'value', 'program'],
        ['/ticket', 'present', 'program'],
        ['/ticket', 'value', 'program'],
      ])
      expect(leaves[0]).to.deep.include({ n: 48, accuracy: 1 })
      expect(leaves[0].interval.low).to.be.within(0.9, 0.99)
    }
  })

  it('runs it, with an optional member left out', async () => {
    const body = { concept_id: job.concept_id, input: MESSAGE }
    const run = await api.call('POST', '/v1/run', { key: tenant.key, body })
    expect(run.status, run.text).to.equal(200)
    expect(run.body.output).to.deep.equal({ desk: 'kitchen', amount: 77, on: '2026-06-05' })
    expect(run.body.confidence).to.be.within(0.2, 1)
  })

  it('is exported as an archive, and refused as a file of one kind', async () => {
    const plan = await api.call('POST', '/v1/export', {
      key: tenant.key,
      body: { artifact_id: job.artifact_id, target: 'onnx' },
    })
    expect([plan.status, plan.body.code]).to.deep.equal([400, 'export_not_applicable'])
    const { hashes } = (await api.call('GET', `/v1/artifacts/${job.artifact_id}`, { key: tenant.key })).body
    expect(Object.keys(hashes).some((name) => name.startsWith('leaf-'))).to.equal(true)
    const checked = await api.call('POST', '/v1/artifact/verify-manifest', {
      key: tenant.key,
      body: { cid: job.cid, hashes },
    })
    expect(checked.body).to.include({ verified: true })
  })
})
