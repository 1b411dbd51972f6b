import { expect } from 'chai'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import { verifyArchive } from '../../../core/compile/archive/verify.ts'
import { hashJson } from '../../../core/kernel/json/json.ts'
import { givenApiTenant, useApi, type ApiTenant } from '../../support/api.ts'
import { useService } from '../../support/workflows/service.ts'
import { deskRows } from '../core/rows/given-rows.ts'

const RISK = { max_error: 0.2, confidence: 0.8 }
const LIKE = 'Where do I find the soup ladle'
const UNLIKE = LIKE.repeat(20)

describe('risk certificates through the API', () => {
  const service = useService()
  const api = useApi({
    stores: () => ({
      database: service.database,
      temporal: { address: service.temporalAddress, namespace: service.temporal.namespace },
    }),
  })
  let tenant: ApiTenant
  const post = async (body: object) => await api.call('POST', '/v1/compile', { key: tenant.key, body })
  const compile = async (choices: object) => {
    const done = await post({
      task: 'Name the desk',
      examples: deskRows().map(({ input, output }) => ({ input, output })),
      recipe_kind: 'classifier',
      base_model: 'none',
      k_score_floor: 0.3,
      ...choices,
    })
    expect(done.status, done.text).to.equal(200)
    return done.body
  }
  const run = async (versionId: string, input: string) =>
    await api.call('POST', '/v1/run', { key: tenant.key, body: { version_id: versionId, input } })
  before(async () => {
    tenant = await givenApiTenant(api)
  })

  describe('a version under a certificate', () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- the document that the tests look into
    let job: any
    before(async () => {
      job = await compile({ risk: RISK })
    })

    it('shows it on job and artifact, and holds it in its archive', async () => {
      expect(job.certificate).to.deep.include({ status: 'certified', basis: 'cross_fit', n: 96, ...RISK })
      expect(job.certificate.statement).to.include('at most 20 % of the given answers are wrong')
      expect(job.on_doubt).to.equal('abstain')
      const artifact = await api.call('GET', `/v1/artifacts/${job.artifact_id}`, { key: tenant.key })
      expect(artifact.body.certificate).to.deep.equal(job.certificate)
      expect(artifact.body.hashes).to.have.property('certificate.json')
      const file = await api.call('GET', `/v1/compile/${job.id}/.svc`, { key: tenant.key })
      const verified = await verifyArchive(file.bytes)
      expect(verified.ok, verified.detail).to.equal(true)
      expect(verified.checks.find(({ name }) => name === 'certificate')?.detail).to.equal(job.certificate.statement)
    })

    it('answers with confidence and checks, offline as online', async () => {
      const { body } = await run(job.version_id, LIKE)
      expect(body).to.deep.include({ output: 'kitchen', abstained: false, unlike_examples: false })
      expect(body.checks.failed).to.deep.equal([])
      expect(body.confidence).to.be.within(job.certificate.threshold, 1)
      const file = await api.call('GET', `/v1/compile/${job.id}/.svc`, { key: tenant.key })
      const { recipe, guard } = await loadArchive(file.bytes)
      if (recipe.kind !== 'pure') throw new Error('a classifier needs no base')
      for (const input of [LIKE, UNLIKE, 'the oven']) {
        const { body: online } = await run(job.version_id, input)
        const offline = guard(input, recipe.runner.run(input))
        expect(online).to.deep.include({
          output: offline.output,
          abstained: offline.abstained,
          confidence: offline.confidence,
          checks: offline.checks,
          unlike_examples: offline.unlikeExamples,
        })
      }
    })

    it('withholds an answer in doubt, under a receipt of the output null', async () => {
      const { body } = await run(job.version_id, UNLIKE)
      expect(body).to.deep.include({ output: null, abstained: true, unlike_examples: true })
      expect(job.certificate.threshold).to.be.greaterThan(body.confidence)
      expect(body.receipt.output_hash).to.equal(hashJson(null))
    })
  })

  it('answers in doubt where the caller says so', async () => {
    const job = await compile({ risk: RISK, on_doubt: 'answer' })
    expect(job.on_doubt).to.equal('answer')
    const { body } = await run(job.version_id, UNLIKE)
    expect(body).to.deep.include({ output: 'kitchen', abstained: false, unlike_examples: true })
    expect(body.confidence).to.be.at.most(0.5)
  })

  it('withholds what is unlike the examples without a certificate, when asked to', async () => {
    const job = await compile({ on_doubt: 'abstain' })
    expect(job).not.to.have.property('certificate')
    expect((await run(job.version_id, UNLIKE)).body).to.include({ output: null, abstained: true })
    expect((await run(job.version_id, LIKE)).body).to.include({ output: 'kitchen', abstained: false })
  })

  it('says how many rows a smaller risk needs', async () => {
    const job = await compile({ risk: { max_error: 0.01, confidence: 0.95 } })
    expect(job.certificate).to.include({ status: 'not_certifiable', reason: 'too_few_rows' })
    expect(job.certificate.rows_needed).to.be.at.least(299)
    expect(job.on_doubt).to.equal('answer')
  })

  it('refuses risks that no certificate can have, and names the field', async () => {
    const examples = [{ input: 'a', output: 'b' }]
    for (const [risk, field] of [
      [{ max_error: 0, confidence: 0.9 }, 'risk.max_error'],
      [{ max_error: 1, confidence: 0.9 }, 'risk.max_error'],
      [{ max_error: 0.1, confidence: 1 }, 'risk.confidence'],
      [{ max_error: 0.1, confidence: 0 }, 'risk.confidence'],
      [{ max_error: 0.1 }, 'risk.confidence'],
      [0, 'risk'],
    ] as const) {
      const refused = await post({ task: 'x', examples, risk })
      expect(refused.status, refused.text).to.equal(400)
      expect(refused.body.details.fields.map(({ field: name }: { field: string }) => name)).to.include(field)
    }
    const doubt = await post({ task: 'x', examples, on_doubt: 'guess' })
    expect(doubt.body.details.fields[0]).to.include({ field: 'on_doubt' })
  })
})
