import { expect } from 'chai'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { unzip } from '../../model/export/given.ts'
import { loanRows } from '../../model/tabular/given.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { eventually } from '../../support/wire/eventually.ts'
import { useService } from '../../support/workflows/service.ts'

describe('compile of a table through the API', () => {
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
  before(async () => {
    tenant = await givenApiTenant(api)
    const done = await api.call('POST', '/v1/compile', {
      key: tenant.key,
      body: {
        task: 'Decide whether the loan is granted',
        examples: loanRows(40).map(({ input, output }) => ({ input, output })),
        recipe_kind: 'tabular',
        k_score_floor: 0.5,
      },
    })
    expect(done.status, done.text).to.equal(200)
    job = done.body
  })

  it('signs a tabular model, whose archive verifies', async () => {
    expect(job.status).to.equal('completed')
    const file = await api.call('GET', `/v1/compile/${job.id}/.svc`, { key: tenant.key })
    const result = await verifyArchive(file.bytes)
    expect(result.ok, result.detail).to.equal(true)
    expect(result.manifest?.artifact_class).to.equal('tabular')
  })

  it('runs it with a confidence', async () => {
    const input = { person: { income: 4800, work: 'employed', is_member: true }, debts: 0 }
    const run = await api.call('POST', '/v1/run', { key: tenant.key, body: { concept_id: job.concept_id, input } })
    expect(run.status, run.text).to.equal(200)
    expect(run.body).to.include({ output: 'grant', abstained: false })
    expect(run.body.confidence).to.be.within(0.3, 1)
  })

  it('writes its graph for ONNX, in float64', async () => {
    const body = { artifact_id: job.id, target: 'onnx' }
    const accepted = await api.call('POST', '/v1/exports', { key: tenant.key, body })
    expect(accepted.body.export, accepted.text).to.include({ quant: 'fp64', target: 'onnx' })
    const path = `/v1/exports/${accepted.body.export_id}`
    await eventually(async () => {
      const { body: shown } = await api.call('GET', path, { key: tenant.key })
      expect(shown.export.state).to.equal('succeeded')
    })
    const file = await api.call('GET', `${path}/download`, { key: tenant.key })
    expect([...(await unzip(file.bytes)).keys()]).to.deep.equal([
      'model.onnx',
      'recipe.json',
      'README.md',
      'svc-export.json',
    ])
  })

  it('plans its graph for ONNX, and no other format', async () => {
    const plan = await api.call('POST', '/v1/export', {
      key: tenant.key,
      body: { artifact_id: job.id, target: 'onnx' },
    })
    expect(plan.body, plan.text).to.include({ plan: false, target: 'onnx', quant: 'fp64' })
    const gguf = await api.call('POST', '/v1/export', {
      key: tenant.key,
      body: { artifact_id: job.id, target: 'gguf' },
    })
    expect([gguf.status, gguf.body.code]).to.deep.equal([400, 'export_not_applicable'])
  })
})
